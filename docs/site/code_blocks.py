"""A hook of MkDocs: the comments before code blocks, code in tables, colours for intents, sessions.

The tests read comments such as ``<!-- file: tea.yaml -->`` before a block. On the site, the name of
a file becomes the title of its block; other comments are left out. The button that copies a session
takes its commands alone, and what a user says to a bot differs in look from what the bot answers.
"""

from __future__ import annotations

import html
import re
import sys

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from pygments.lexer import RegexLexer, bygroups, words
from pygments.lexers import LEXERS
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

__all__ = ["IntentLanguageLexer"]  # what Pygments may load

_COMMENT = re.compile(r"^<!-- ([^\n]*) -->\n(?=```)", re.MULTILINE)
_FILE = re.compile(r"^<!-- (?:file|part of): ([^\s,]+)[^\n]* -->\n```(\w+)$", re.MULTILINE)
_ROW = re.compile(r"^\|.*\|$", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]+`")
_HIDDEN = re.compile(r"^<!-- file: \S+\n.*?^-->\n+", re.DOTALL | re.MULTILINE)
_SESSION = re.compile(
    r'(?<=<div class="language-)(console|pycon|text)( [^>]*)(>.*?</div>)', re.DOTALL
)
_TAG = re.compile(r"<[^>]*>")
# The second line of a command ends what a backslash continues, or follows the prompt "...".
_COMMAND = re.compile(r"^(?:\$|>>>|\.\.\.) ((?:.*\\\n)*.*)$", re.MULTILINE)
_SAID = re.compile(r'(?:^|(?<=<code>))(?:<span class="go">)?(&gt; .*?)(?:</span>)?$', re.MULTILINE)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Replace the comments before code blocks."""
    markdown = _HIDDEN.sub("", markdown)
    markdown = _FILE.sub(r'```{.\2 title="\1"}', markdown)
    markdown = _COMMENT.sub("", markdown)
    markdown = _ROW.sub(_unescape_pipes, markdown)
    return markdown.replace("```idl\n", "```anaphora-idl\n")


def _unescape_pipes(row: re.Match[str]) -> str:
    """In tables, GitHub needs a backslash before a pipe in code, Python-Markdown would show it."""
    return _CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0])


def on_page_content(content: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Tell the copy button what to take from a session, and mark what a user says to a bot."""
    return _SESSION.sub(_mark_session, content)


def _mark_session(session: re.Match[str]) -> str:
    language, attributes, block = session.groups()
    commands = _COMMAND.findall(html.unescape(_TAG.sub("", block[1:])))
    if commands and language != "text":
        copied = html.escape("\n".join(commands))
        attributes += f' data-copy="{copied}"'
    return language + attributes + _SAID.sub(r'<span class="said">\1</span>', block)


class IntentLanguageLexer(RegexLexer):
    """Colours for texts in the intent language."""

    name = "Intent language"
    aliases = ("anaphora-idl",)
    tokens = {  # noqa: RUF012  # the interface of Pygments
        "root": [
            (r"\s+", Text),
            (r"//.*?$", Comment.Single),
            (r"/\*.*?\*/", Comment.Multiline),
            (r"'(\\.|[^'\\\n])*'|\"(\\.|[^\"\\\n])*\"", String),
            (
                r"(intent|fragment|term|options|flow|meta|import)(\b\s*)([=~(]?)",
                bygroups(Keyword, Text, Operator),
            ),
            (words(("true", "false", "null"), prefix=r"\b", suffix=r"\b"), Keyword.Constant),
            (r"@\w+", Name.Variable),
            (r"\d[\d_]*(\.\d+)?", Number),
            (r"\w+(?=\()", Name.Function),
            (r"[\w:.-]*\w", Name),
            (r"[=~!<>&|+*/%?#-]+", Operator),
            (r".", Punctuation),
        ]
    }


# Pygments loads lexers by the name of their module.
sys.modules.setdefault("anaphora_code_blocks", sys.modules[__name__])
LEXERS["IntentLanguageLexer"] = (
    "anaphora_code_blocks",
    IntentLanguageLexer.name,
    IntentLanguageLexer.aliases,
    (),
    (),
)
