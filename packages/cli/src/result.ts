import { usage } from './cli-error.ts'
import type { ExitCode } from './exit-codes.ts'

/** What a command found or did. */
export interface Result {
  /** Printed with `--json`. */
  readonly data: unknown
  /** Printed otherwise. */
  readonly text: string | readonly string[]
  /** What is written to standard output instead, where the result is a file. */
  readonly bytes?: Uint8Array
  readonly exitCode?: ExitCode
}

/** What the caller typed. */
export interface Given {
  readonly args: readonly (string | undefined)[]
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>
}

/** An argument that the parser guarantees. */
export function argument({ args }: Given, position: number): string {
  return args[position] ?? ''
}

export function option({ options }: Given, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export function flag({ options }: Given, name: string): boolean {
  return options[name] === true
}

export function list({ options }: Given, name: string): readonly string[] {
  const value = options[name]
  return Array.isArray(value) ? (value as readonly string[]) : []
}

/** A whole number that was typed; the default if nothing was. */
export function count(given: Given, name: string, otherwise: number): number {
  const typed = option(given, name)
  if (typed === undefined) return otherwise
  if (/^\d{1,9}$/.test(typed)) return Number(typed)
  throw usage(`"${typed}" is not a whole number`, `pass --${name} with digits only`)
}
