import type { Survivor } from './survivors.ts'

/** Stryker's report, as far as it is read. */
export interface MutationReport {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: string
        readonly mutants: readonly {
          readonly replacement?: string
          readonly status: string
          readonly location: { readonly start: Place; readonly end: Place }
        }[]
      }
    >
  >
}

/** Both from 1. */
interface Place {
  readonly line: number
  readonly column: number
}

export interface FileResult {
  readonly file: string
  readonly mutants: number
  /** A test fails with the mutant, or never ends. */
  readonly killed: number
  /** With the line each is on. */
  readonly alive: readonly (Omit<Survivor, 'because'> & { readonly line: number })[]
}

/** What a run says of a file. Mutants that did not compile, or that were not run, are not counted. */
export function resultOf({ files }: MutationReport, file: string): FileResult {
  const { source = '', mutants = [] } = files[file] ?? {}
  const counted = mutants.filter(({ status }) => ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status))
  const alive = counted.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  return {
    file,
    mutants: counted.length,
    killed: counted.length - alive.length,
    alive: alive.map(({ location: { start, end }, replacement = '' }) => ({
      file,
      line: start.line,
      from: textBetween(source, start, end),
      to: replacement,
    })),
  }
}

/** Mutants that live without a reason. */
export function unexplained({ alive }: FileResult, survivors: readonly Survivor[]): FileResult['alive'] {
  return alive.filter(
    (mutant) =>
      !survivors.some(({ file, from, to }) => file === mutant.file && from === mutant.from && to === mutant.to),
  )
}

function textBetween(source: string, start: Place, end: Place): string {
  const lines = source.split('\n').slice(start.line - 1, end.line)
  const last = lines.length - 1
  return lines
    .map((line, i) => line.slice(i === 0 ? start.column - 1 : 0, i === last ? end.column - 1 : undefined))
    .join('\n')
}
