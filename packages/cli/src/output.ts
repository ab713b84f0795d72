import pc from 'picocolors'
import { textOf, visibleJsonOf } from '#client/text'
import type { Failure } from './cli-error.ts'
import { usage } from './cli-error.ts'
import type { Environment } from './environment.ts'
import type { Result } from './result.ts'
import { own } from './terminal.ts'

/** Work that takes longer than this says so. */
const PROGRESS_AFTER_MS = 1000

export interface OutputOptions {
  readonly json: boolean
  readonly quiet: boolean
  /** Results say so. */
  readonly dryRun: boolean
}

/** Results go to standard output, everything else to standard error. */
export class Output {
  /** Of results. */
  readonly colours: Colours
  readonly #errorColours: Colours
  readonly #environment: Environment
  readonly #options: OutputOptions
  #isAsking = false
  #shown = ''

  constructor(environment: Environment, options: OutputOptions) {
    this.#environment = environment
    this.#options = options
    const { variables, hasColours, errorsHaveColours } = environment
    // https://no-color.org: any value that is not empty.
    const isWanted = !variables['NO_COLOR']
    this.colours = coloursOf(hasColours && isWanted)
    this.#errorColours = coloursOf(errorsHaveColours && isWanted)
  }

  result({ data, text, bytes }: Result): void {
    const { stdout } = this.#environment
    if (this.#options.json)
      stdout(`${visibleJsonOf(this.#options.dryRun ? { ...Object(data), dryRun: true } : data, 2)}\n`)
    else if (bytes) stdout(this.#environment.hasColours ? shownBytes(bytes) : bytes)
    else if (!this.#options.quiet) for (const line of [text].flat()) stdout(`${line}\n`)
  }

  failure({ exitCode, code, message, next, page }: Failure): void {
    const { stderr } = this.#environment
    if (this.#options.json) {
      stderr(`${visibleJsonOf({ error: { exitCode, code, message, next, page } })}\n`)
      return
    }
    stderr(`${this.#errorColours.red('error')}: ${sentence(message)} Next: ${sentence(next)} See ${page}\n`)
  }

  /** Something that a person should know, and a script need not. */
  note(text: string): void {
    if (!this.#options.quiet && !this.#options.json) this.#environment.stderr(`${text}\n`)
  }

  /** What a person needs to go on, whatever the options. */
  say(text: string): void {
    this.#clear()
    this.#environment.stderr(`${text}\n`)
  }

  /** Something that must not be missed. */
  warn(text: string): void {
    this.#environment.stderr(`${this.#errorColours.yellow('warning')}: ${text}\n`)
  }

  /** While a question is open, nothing else is written. */
  async asking<T>(ask: () => Promise<T>): Promise<T> {
    this.#clear()
    this.#isAsking = true
    try {
      return await ask()
    } finally {
      this.#isAsking = false
    }
  }

  /** How far it is: `12 of 300`. */
  progress(text: string): void {
    if (this.#options.quiet || this.#isAsking || !this.#environment.isTerminal) return
    this.#clear()
    this.#environment.stderr(text)
    this.#shown = text
  }

  /** At a terminal, says what is going on if it takes more than a second. */
  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      if (this.#shown === '') this.progress(`${what} …`)
    }, PROGRESS_AFTER_MS)
    timer.unref()
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      this.#clear()
    }
  }

  #clear(): void {
    if (this.#shown !== '') this.#environment.stderr(own(`\r${' '.repeat(this.#shown.length)}\r`))
    this.#shown = ''
  }
}

/** Of a file whose content somebody else may have written, at a terminal. */
function shownBytes(bytes: Uint8Array): string {
  try {
    return textOf(bytes)
  } catch {
    throw usage(
      'The result is not a text, and a terminal would obey what is in it',
      'pass --out FILE, or send it on with | or >',
    )
  }
}

type Colours = Readonly<Record<'green' | 'yellow' | 'red', (text: string) => string>>

function coloursOf(isColourful: boolean): Colours {
  const { green, yellow, red } = pc.createColors(isColourful)
  const of = (colour: (text: string) => string) => (text: string) => {
    const [before = '', after = ''] = colour('|').split('|')
    return `${before && own(before)}${text}${after && own(after)}`
  }
  return { green: of(green), yellow: of(yellow), red: of(red) }
}

/** One line that ends with a full stop. */
function sentence(text: string): string {
  const line = text.replaceAll(/\s*\n\s*/g, ' ').trim()
  return /[.!?]$/.test(line) ? line : `${line}.`
}
