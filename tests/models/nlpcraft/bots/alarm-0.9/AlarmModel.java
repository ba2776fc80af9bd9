package org.bedside;

public class AlarmModel extends NCModelFileAdapter {
    public AlarmModel() { super("alarm.yaml"); }

    @NCIntentRef("alarm")
    @NCIntentSample({
        "Ring me in 3 minutes",
        "Wake us up in an hour and 15 mins",
        "Set my alarm for 30 seconds",
        "Please, wake me up in twenty five minutes!",
        "Remind me in few minutes",
        "Buzz me in a couple of minutes",
        "Call me in an hour"
    })
    private NCResult onAlarm(NCIntentMatch ctx, @NCIntentTerm("nums") List<NCToken> numToks) {
        return NCResult.text("Timer set (" + numToks.size() + ")");
    }
}
