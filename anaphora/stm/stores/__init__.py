"""Where conversations are kept between two questions."""
