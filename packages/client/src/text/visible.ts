/**
 * What others wrote, for a terminal or a log. Control characters write the clipboard, clear the screen or set its title;
 * bidirectional ones show a line in another order; the invisible ones make two names look alike.
 *
 * @module
 */
import { pure } from '#protocol/base/pure'
import { checkCall } from '../arguments/check.ts'

/** Scripts whose letters a joiner connects or separates, and pictures that it combines. */
const JOINED = /* @__PURE__ */ pure(
  () =>
    String.raw`\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Extended_Pictographic}\p{Emoji_Modifier}\u{fe0f}`,
)
/** Controls, format characters, separators of lines and halves of surrogates; joiners only where they join nothing. */
const HIDDEN = /* @__PURE__ */ pure(
  () =>
    new RegExp(
      String.raw`(?<![${JOINED}])[\u200c\u200d]|(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]`,
      'gu',
    ),
)

/** The text with what would not be seen as an escape, `\u{202e}`. Line ends and tabs stay. */
export function visibleOf(text: string): string {
  checkCall('visibleOf', [text], ['text'])
  return text.replaceAll(HIDDEN, (one, at: number) => {
    const isLineEnd = one === '\n' || (one === '\r' && text[at + 1] === '\n')
    return isLineEnd || one === '\t' ? one : escaped(one)
  })
}

/** The same for a value that has one line: line ends and tabs are escapes too, so that it cannot begin another line. */
export function visibleLineOf(text: string): string {
  checkCall('visibleLineOf', [text], ['text'])
  return text.replaceAll(HIDDEN, escaped)
}

/** JSON in which nothing is hidden either. It is the same JSON: only strings have such characters, and may have escapes. */
export function visibleJsonOf(value: unknown, indent?: number): string {
  checkCall('visibleJsonOf', [value, indent], ['value', 'indent?'])
  const json = JSON.stringify(value, null, indent)
  return json.replaceAll(HIDDEN, (one) => (one === '\n' ? one : unitsOf(one)))
}

const escaped = (one: string) => String.raw`\u{${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`

/** As JSON writes it: an escape for each half of a pair. */
const unitsOf = (one: string) =>
  Array.from({ length: one.length }, (_, at) => String.raw`\u${one.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
    '',
  )
