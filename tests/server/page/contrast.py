"""What a test asks the browser about the looks of the page: is all of it legible?"""

from __future__ import annotations

__all__ = ["NOTHING_WIDER", "POOR_CONTRAST"]

NOTHING_WIDER = "document.documentElement.scrollWidth <= window.innerWidth"
POOR_CONTRAST = """() => {
    const canvas = document.createElement("canvas").getContext("2d",
        { willReadFrequently: true });
    const layers = (colors) => {
        canvas.clearRect(0, 0, 1, 1);
        for (const color of colors) {
            canvas.fillStyle = color;
            canvas.fillRect(0, 0, 1, 1);
        }
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (rgb) => {
        const [r, g, b] = rgb.map((one) => one / 255)
            .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const poor = [];
    for (const element of document.querySelectorAll("body *")) {
        const own = [...element.childNodes].some((node) =>
            node.nodeType === Node.TEXT_NODE && node.data.trim());
        if (!own || !element.checkVisibility() || element.closest(".unseen, :disabled")) {
            continue;
        }
        const grounds = [];
        for (let at = element; at; at = at.parentElement) {
            grounds.unshift(getComputedStyle(at).backgroundColor);
        }
        const [a, b] = [layers([...grounds, getComputedStyle(element).color]),
            layers(grounds)].map(light).sort((a, b) => b - a);
        const contrast = (a + 0.05) / (b + 0.05);
        if (contrast < 4.5) poor.push([element.className, contrast]);
    }
    return poor;
}"""
