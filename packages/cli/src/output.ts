import pc from 'picocolors'
import type { Failure } from './cli-error.ts'
import type { Environment } from './environment.ts'
import type { Result } from './result.ts'

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
  readonly colours: ReturnType<typeof pc.createColors>
  readonly #errorColours: ReturnType<typeof pc.createColors>
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
    this.colours = pc.createColors(hasColours && isWanted)
    this.#errorColours = pc.createColors(errorsHaveColours && isWanted)
  }

  result({ data, text, bytes }: Result): void {
    const { stdout } = this.#environment
    if (this.#options.json)
      stdout(`${JSON.stringify(this.#options.dryRun ? { ...Object(data), dryRun: true } : data, null, 2)}\n`)
    else if (bytes) stdout(bytes)
    else if (!this.#options.quiet) for (const line of [text].flat()) stdout(`${line}\n`)
  }

  failure({ exitCode, code, message, next, page }: Failure): void {
    const { stderr } = this.#environment
    if (this.#options.json) {
      stderr(`${JSON.stringify({ error: { exitCode, code, message, next, page } })}\n`)
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
    if (this.#shown !== '') this.#environment.stderr(`\r${' '.repeat(this.#shown.length)}\r`)
    this.#shown = ''
  }
}

/** One line that ends with a full stop. */
function sentence(text: string): string {
  const line = text.replaceAll(/\s*\n\s*/g, ' ').trim()
  return /[.!?]$/.test(line) ? line : `${line}.`
}
