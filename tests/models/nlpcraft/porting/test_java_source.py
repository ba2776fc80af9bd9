"""Callbacks in the source files of a bot."""

from __future__ import annotations

import pytest

from anaphora.models.nlpcraft.porting.java_source import JavaParameter, parse_java

JAVA = """
package org.kiosk;
/* @NCIntentRef("never") void never() {} */
@NCIntent("fragment=who term(name)={# == 'name'}")
public class Kiosk extends Adapter {
    // @NCIntentRef("neither") void neither() {}
    @NCIntentRef("sell")
    @NCIntentSample({"Sell me tea, please", "tea " + "now"})
    @NCIntentSample("and a \\"cup\\"")
    private Result onSell(
        Match ctx,
        @NCIntentTerm("what") Token drink,
        @NCIntentTerm("more") Map<String, List<Token>> extras,
        @NCIntentTerm("size") Optional<Token> size
    ) throws Rejection {
        return Result.text("(" + drink + ")");
    }

    @org.x.NCIntent("intent=stop " +
        "term(s)={# == \\"stop\\"}")
    Result stop(@NCIntentTerm("s") Token s) { return null; }

    @NCIntentRef("a") @NCIntentRef("b") Result both() { return null; }
}
class Names implements Other, NCValueLoader { }
"""
KOTLIN = '''
class Kiosk : Adapter("kiosk", "1") {
    @NCIntentRef("sell")
    @NCIntentSample("""Sell
        tea""")
    fun onSell(ctx: Match, @NCIntentTerm("what") drink: Token, @NCIntentTerm("more") m: List<X>): R
'''
SCALA = '''
class Kiosk extends Model(Config("kiosk")) :
    @NCIntent(
        """intent=sell options={'ordered': true}
          |  term(what)={# == 'drink'}"""
    )
    @NCIntentSample(Array("tea", "milk, please"))
    def onSell(@NCIntentTerm("what") drink: Entity, @NCIntentTerm("x") x: Option[E]): Result = x
'''

GROOVY = """
class Kiosk extends Adapter {
    @NCIntentRef('sell')
    @NCIntent(\'\'\'intent=a
        term={# == "x"}\'\'\')
    @NCIntentSample(['tea, (please)', "it's \\'hot\\'"])
    Result onSell(@NCIntentTerm('what') Token drink) { 'no "text"' }
}
"""


def test_a_method_of_java_is_read_with_its_terms_and_samples() -> None:
    source = parse_java(JAVA, "Kiosk.java")
    sell, stop, both = source.callbacks
    assert (sell.name, sell.owner, sell.line, sell.refs) == ("onSell", "Kiosk", 10, ("sell",))
    assert sell.parameters == (
        JavaParameter("what", "drink"),
        JavaParameter("more", "extras"),
        JavaParameter("size", "size"),
    )
    assert sell.samples == (("Sell me tea, please", "tea now"), ('and a "cup"',))
    assert sell.signature.startswith(
        'private Result onSell( Match ctx, @NCIntentTerm("what") Token'
    )
    assert stop.idl == ('intent=stop term(s)={# == "stop"}',)
    assert both.refs == ("a", "b")


def test_a_class_may_have_intents_of_its_own_and_loaders_are_classes() -> None:
    source = parse_java(JAVA)
    assert source.idl == ("fragment=who term(name)={# == 'name'}",)
    assert source.intent_texts[0] == source.idl[0]
    assert source.loaders == {"Names": 25}


def test_kotlin_writes_names_before_types() -> None:
    (sell,) = parse_java(KOTLIN).callbacks
    assert sell.parameters == (JavaParameter("what", "drink"), JavaParameter("more", "m"))
    assert sell.signature.endswith(": R")
    assert sell.samples == (("Sell tea",),)


def test_groovy_may_write_texts_in_single_quotes() -> None:
    (sell,) = parse_java(GROOVY, "Kiosk.groovy").callbacks
    assert sell.refs == ("sell",)
    assert sell.parameters == (JavaParameter("what", "drink"),)
    assert sell.samples == (("tea, (please)", "it's 'hot'"),)
    assert sell.idl[0].split() == ["intent=a", "term={#", "==", '"x"}']


def test_scala_writes_long_texts_with_margins() -> None:
    (sell,) = parse_java(SCALA).callbacks
    assert sell.idl[0].split() == [
        "intent=sell",
        "options={'ordered':",
        "true}",
        "term(what)={#",
        "==",
        "'drink'}",
    ]
    assert sell.parameters == (JavaParameter("what", "drink"), JavaParameter("x", "x"))
    assert sell.samples == (("tea", "milk, please"),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@NCIntentRef(",
        '@NCIntentRef("a"',
        '@NCIntentRef("a") void',
        "class A {",
        '"""',
        "@",
        "'",
    ],
)
def test_code_that_is_not_understood_is_skipped(text: str) -> None:
    assert not parse_java(text).callbacks


def test_an_intent_of_several_lines_is_laid_out_as_in_a_file() -> None:
    source = parse_java(
        'class A {\n    @NCIntent("""\n        |intent=a  \n        |  term={true}\n'
        '    """.stripMargin)\n    def onA() = ???\n}\n',
        "A.scala",
    )
    assert source.intent_texts == ("intent=a\n  term={true}",)
