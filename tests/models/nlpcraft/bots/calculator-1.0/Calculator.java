/** Keeps the last result: "calculator.yaml". */
@NCIntent(
    "fragment=operand term(y)={# == 'calc:num'}"
)
class Calculator extends NCModel {
    @NCIntent(
        "intent=calc options={'ordered': true, 'unused_free_words': true}" +
        "  term(x)={# == 'calc:num'}" +
        "  term(op)={# == 'calc:op'}" +
        "  fragment(operand)"
    )
    @NCIntentSample({"2 + 2", "What is 7 minus 3?", "3 multiplied by 4"})
    public NCResult onMatch(
        NCContext ctx, NCIntentMatch im,
        @NCIntentTerm("x") NCEntity x, @NCIntentTerm("op") NCEntity op, @NCIntentTerm("y") NCEntity y
    ) { return calc(x, op, y); }

    @NCIntent(
        "intent=more options={'ordered': true}" +
        "  term(op)={# == 'calc:op'}" +
        "  term(y)={# == 'calc:num'}"
    )
    @NCIntentSample({"plus 5", "and 4"})
    public NCResult onMatchMem(@NCIntentTerm("op") NCEntity op, @NCIntentTerm("y") NCEntity y) {}
}
