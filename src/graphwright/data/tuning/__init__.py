"""What AUTOTUNE chooses by measured times, within what options allow."""
