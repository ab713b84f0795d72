/** The signed text of some paragraphs. The program signs it, and the page compares it with what it shows. */
export function signedText(paragraphs: readonly string[]): string {
  return paragraphs.join('\n\n')
}

/** The paragraphs of a plain text, which empty lines separate. The first is the title. */
export function paragraphsOf(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replaceAll(/\s+/g, ' '))
    .filter((paragraph) => paragraph !== '')
}
