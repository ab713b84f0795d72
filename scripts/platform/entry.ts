import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { markIds, unmarked } from '@svc/cli/dashes'
import { SetupError } from './workspace.ts'

/** A mistake on the command line. The entry prints the message in one line that names `--help`, and exits with 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>

export interface Entry<Options extends ParseArgsOptionsConfig> {
  /** As typed: `scripts/bench`. */
  readonly name: string
  /** What `--help` prints. It lists every option, `--help` included. */
  readonly help: string
  readonly options: Options
  /** Whether the entry takes operands; otherwise an operand is a usage error. */
  readonly operands?: boolean
  /** Returns the exit status, or a promise of it; any other value means 0. */
  readonly run: (parsed: Parsed<Options>) => unknown
}

/**
 * Runs an entry of `scripts/` and sets the exit status of the process: 0 for success, 1 for a failure, 2 for a usage
 * error. A `SetupError` is printed without its stack; any other error is a bug and keeps it.
 */
export async function runEntry<const Options extends ParseArgsOptionsConfig>(entry: Entry<Options>): Promise<void> {
  try {
    const parsed = parse(entry)
    const status = parsed === 'help' ? console.log(entry.help) : await entry.run(parsed)
    process.exitCode = typeof status === 'number' ? status : 0
  } catch (error) {
    process.exitCode = report(entry.name, error)
  }
}

/** Reads an option that takes a whole number. */
export function wholeNumber(option: string, text: string, { from = 0, to = Number.MAX_SAFE_INTEGER } = {}): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= from && number <= to) return number
  const range =
    to === Number.MAX_SAFE_INTEGER ? `a whole number, ${from} or more` : `a whole number from ${from} to ${to}`
  throw new UsageError(`${option} takes ${range}`)
}

function parse<Options extends ParseArgsOptionsConfig>(entry: Entry<Options>): Parsed<Options> | 'help' {
  const options = { ...entry.options, help: { type: 'boolean', default: false } } as const
  try {
    const args = markIds(process.argv.slice(2))
    const parsed = unmarked(parseArgs({ args, options, allowPositionals: entry.operands ?? false }))
    const isHelp = 'help' in parsed.values && parsed.values.help === true
    return isHelp ? 'help' : parsed
  } catch (error) {
    throw new UsageError(firstSentence(error))
  }
}

function report(name: string, error: unknown): number {
  if (error instanceof UsageError) {
    console.error(`${error.message}; ${name} --help lists the options.`)
    return 2
  }
  if (error instanceof SetupError) console.error(error.message)
  else if (error instanceof Error && 'syscall' in error) console.error(error.message)
  else if (error instanceof TypeError && error.cause instanceof Error)
    // Node's `fetch` always says "fetch failed"; the cause has the reason.
    console.error(`${error.message}: ${error.cause.message}`)
  else console.error(error)
  return 1
}

/** Node's messages about options continue with several sentences of advice. */
function firstSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split(/\.(?:\s|$)|\n/)[0] ?? message
}
