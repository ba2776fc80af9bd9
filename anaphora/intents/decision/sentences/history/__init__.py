"""What was done before: undo it, finish it, take it back where it was corrected, and go on with it
in the room of the speaker."""
