class LampsModel extends NCModel(NCModelConfig("lamps.ru", "Lamps", "1.0"), pipeline("lamps_ru.yaml")):
    @NCIntent("intent=lamps term(act)={has(ent_groups(), 'act')} term(places)={# == 'lamp:place'}*")
    @NCIntentSample(Array("Зажги лампу", "Выключи свет на кухне", "Включи свет в гараже", "Погаси люстру"))
    def onMatch(
        ctx: NCContext,
        im: NCIntentMatch,
        @NCIntentTerm("act") act: NCEntity,
        @NCIntentTerm("places") places: List[NCEntity]
    ): NCResult = NCResult(act.getType)
