"""A small weather bot in which every rule of the engine can be seen."""

WEATHER = """
    id: weather
    elements:
      - {id: weather, groups: [topic], synonyms: [forecast]}
      - {id: city, values: {Tokyo: [], Kyoto: [], New York: [nyc]}}
      - {id: date, values: {now: [], today: [], tomorrow: [], the day after tomorrow: []}}
    intents:
      - intent=weather term(topic)~{# == 'weather'} term(city)~{# == 'city'}
        term(date)~{# == 'date'}?
    responses:
      weather: "{{ city }}{% if date %}, {{ date }}{% endif %}"
    prompts:
      weather: {city: For which city?}
    reset: ["{enough|forget} {it|that|of the weather}"]
"""
