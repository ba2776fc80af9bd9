/* The order of one user; the file is pizzeria.yaml. */
class Pizzeria : NCModel(config, pipeline) {
    @NCIntent("intent=yes term(yes)={# == 'ord:yes'}")
    fun onYes(ctx: NCContext, im: NCIntentMatch): NCResult = answer(im)

    @NCIntent("intent=no term(no)={# == 'ord:no'}")
    fun onNo(): NCResult = answer()

    @NCIntent("intent=stop term(stop)={# == 'ord:stop'}")
    @NCIntentSample("stop", "forget my order")
    fun onStop(): NCResult = answer()

    @NCIntent("intent=menu term(menu)={# == 'ord:menu'}")
    @NCIntentSample("Show me the menu, please", "what do you have")
    fun onMenu(): NCResult = answer()

    @NCIntent("intent=status term(status)={# == 'ord:status'}")
    @NCIntentSample("order_details", "What are my order details?")
    fun onStatus(): NCResult = answer()

    @NCIntent("""intent=order
        |  term(pizzas)={# == 'ord:pizza'}*
        |  term(sizes)={# == 'ord:size'}*
        |  term(drinks)={# == 'ord:drink'}*""")
    @NCIntentSample("I want a large margherita and a coke", "two sailor pizza", "tea, please")
    fun onOrder(
        @NCIntentTerm("pizzas") pizzas: List<NCEntity>,
        @NCIntentTerm("sizes") sizes: List<NCEntity>,
        @NCIntentTerm("drinks") drinks: List<NCEntity>,
    ): NCResult = answer()
}
