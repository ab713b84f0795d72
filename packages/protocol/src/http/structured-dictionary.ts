/**
 * Dictionaries of Structured Field Values for HTTP (RFC 9651). Parsing is strict, as section 4.2 requires: one malformed
 * member invalidates the whole field. Parameters are validated and discarded; nothing here uses them.
 *
 * @module
 */

/** A bare item (section 3.3) with its type, or an inner list, whose items are not kept. */
export type MemberValue =
  | { readonly type: 'token' | 'string' | 'display-string' | 'byte-sequence'; readonly value: string }
  | { readonly type: 'integer' | 'decimal' | 'date'; readonly value: number }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'inner-list' }

class Malformed extends Error {}

const KEY = /[a-z*][a-z0-9_.*-]*/y
const TOKEN = /[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*/y
const NUMBER = /-?[0-9]+(?:\.[0-9]*)?/y
const STRING = /"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y
const BYTES = /:([A-Za-z0-9+/]*={0,2}):/y
const BOOLEAN = /\?([01])/y
const DISPLAY_STRING = /%"((?:[\x20\x21\x23\x24\x26-\x7e]|%[0-9a-f]{2})*)"/y
const SPACES = / */y
const OPTIONAL_WHITE_SPACE = /[ \t]*/y

/** Null if the text is not a dictionary. For a duplicate key, the last value wins and keeps the first one's position. */
export function parseDictionary(text: string): Map<string, MemberValue> | null {
  try {
    return new Cursor(text).dictionary()
  } catch (error) {
    if (error instanceof Malformed) return null
    throw error
  }
}

/** Serializes members with token values; '' for none. Keys and tokens must be constants: they are not escaped. */
export function writeTokens(members: Iterable<readonly [key: string, token: string]>): string {
  return [...members].map(([key, token]) => `${key}=${token}`).join(', ')
}

class Cursor {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Section 4.2, steps 3 to 8, and section 4.2.2. */
  dictionary(): Map<string, MemberValue> {
    const members = new Map<string, MemberValue>()
    this.#take(SPACES)
    while (this.#at < this.#text.length) {
      const key = this.#need(KEY)[0]
      const value: MemberValue = this.#skip('=') ? this.#itemOrList() : { type: 'boolean', value: true }
      this.#parameters()
      members.set(key, value)
      this.#take(OPTIONAL_WHITE_SPACE)
      if (this.#at === this.#text.length) return members
      if (!this.#skip(',')) throw new Malformed()
      this.#take(OPTIONAL_WHITE_SPACE)
      // A trailing comma.
      if (this.#at === this.#text.length) throw new Malformed()
    }
    return members
  }

  #itemOrList(): MemberValue {
    if (!this.#skip('(')) return this.#bareItem()
    // Section 4.2.1.2: items separated by spaces.
    for (;;) {
      this.#take(SPACES)
      if (this.#skip(')')) return { type: 'inner-list' }
      this.#bareItem()
      this.#parameters()
      const next = this.#text[this.#at]
      if (next !== ' ' && next !== ')') throw new Malformed()
    }
  }

  /** Section 4.2.3.2. */
  #parameters(): void {
    while (this.#skip(';')) {
      this.#take(SPACES)
      this.#need(KEY)
      if (this.#skip('=')) this.#bareItem()
    }
  }

  #bareItem(): MemberValue {
    const first = this.#text[this.#at] ?? ''
    if (first === '"') return { type: 'string', value: this.#need(STRING)[1].replaceAll(/\\(.)/g, '$1') }
    if (first === ':') return { type: 'byte-sequence', value: decodable(this.#need(BYTES)[1]) }
    if (first === '?') return { type: 'boolean', value: this.#need(BOOLEAN)[1] === '1' }
    if (first === '%') return { type: 'display-string', value: utf8Of(this.#need(DISPLAY_STRING)[1]) }
    if (first === '@') {
      this.#at += 1
      const date = this.#number()
      if (date.type !== 'integer') throw new Malformed()
      return { type: 'date', value: date.value }
    }
    if (/[-0-9]/.test(first)) return this.#number()
    return { type: 'token', value: this.#need(TOKEN)[0] }
  }

  /** Section 4.2.4: at most 15 digits, or 12 before and three after the decimal point. */
  #number(): { readonly type: 'integer' | 'decimal'; readonly value: number } {
    const [text] = this.#need(NUMBER)
    const [whole = '', fraction] = text.replace('-', '').split('.')
    if (fraction === undefined) {
      if (whole.length > 15) throw new Malformed()
      return { type: 'integer', value: Number(text) }
    }
    if (whole.length > 12 || fraction.length === 0 || fraction.length > 3) throw new Malformed()
    return { type: 'decimal', value: Number(text) }
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at += 1
    return true
  }

  #need(pattern: RegExp): [string, string] {
    const match = this.#match(pattern)
    if (!match) throw new Malformed()
    return [match[0], match[1] ?? '']
  }

  #take(pattern: RegExp): void {
    this.#match(pattern)
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match) this.#at = pattern.lastIndex
    return match
  }
}

/** Section 4.2.7 lets a parser accept missing padding, and `atob` does. Impossible lengths are rejected. */
function decodable(base64: string): string {
  try {
    atob(base64)
    return base64
  } catch {
    throw new Malformed()
  }
}

/** Section 4.2.10: escapes are lowercase hex, and the decoded bytes must be UTF-8. */
function utf8Of(escaped: string): string {
  try {
    return decodeURIComponent(escaped)
  } catch {
    throw new Malformed()
  }
}
