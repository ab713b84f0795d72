import { isOfKind, KINDS } from './kinds.ts'
import type { LivingMutant, Survivor } from './survivors.ts'

/** Stryker's report, as far as it is read. */
export interface MutationReport {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: string
        readonly mutants: readonly Mutant[]
      }
    >
  >
}

interface Mutant {
  readonly replacement?: string
  readonly status: string
  readonly location: { readonly start: Place; readonly end: Place }
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
  readonly alive: readonly LivingMutant[]
}

const NOTICED = ['Killed', 'Timeout']
const ALIVE = ['Survived', 'NoCoverage']

/** What a run says of a file. Mutants that did not compile, or that were not run, are not counted. */
export function resultOf({ files }: MutationReport, file: string): FileResult {
  const { source = '', mutants = [] } = files[file] ?? {}
  const alive = mutants.filter(({ status }) => ALIVE.includes(status))
  const killed = mutants.filter(({ status }) => NOTICED.includes(status)).length
  return { file, mutants: killed + alive.length, killed, alive: alive.map((mutant) => livingOf(file, source, mutant)) }
}

function livingOf(file: string, source: string, { location: { start, end }, replacement = '' }: Mutant): LivingMutant {
  return {
    file,
    line: start.line,
    lineText: source.split('\n')[start.line - 1] ?? '',
    from: textBetween(source, start, end),
    to: replacement,
    ...callAround(textBetween(source, { line: 1, column: 1 }, start)),
  }
}

/** Mutants that live without a reason, of their own or of their kind. */
export function unexplained({ alive }: FileResult, survivors: readonly Survivor[]): readonly LivingMutant[] {
  return alive.filter((mutant) => !hasReason(mutant, survivors))
}

/**
 * The report without mutants that live without a reason, so that they are tried again: Stryker would keep them, as it does
 * not see that a new test reaches what runs when a module is loaded.
 */
export function settledOf(report: MutationReport, file: string, survivors: readonly Survivor[]): MutationReport {
  const { source = '', mutants = [], ...rest } = report.files[file] ?? {}
  const settled = mutants.filter(
    (mutant) => !ALIVE.includes(mutant.status) || hasReason(livingOf(file, source, mutant), survivors),
  )
  return { ...report, files: { ...report.files, [file]: { ...rest, source, mutants: settled } } }
}

function hasReason(mutant: LivingMutant, survivors: readonly Survivor[]): boolean {
  return survivors.some((survivor) => isThatOf(mutant, survivor)) || KINDS.some((kind) => isOfKind(mutant, kind))
}

function isThatOf(mutant: LivingMutant, { file, from, to, on = '' }: Survivor): boolean {
  return file === mutant.file && from === mutant.from && to === mutant.to && mutant.lineText.includes(on)
}

function callAround(before: string): Pick<LivingMutant, 'call' | 'argumentsBefore'> {
  let closed = 0
  for (let at = before.length - 1; at >= 0; at--) {
    if (before[at] === ')') closed += 1
    if (before[at] !== '(') continue
    if (closed === 0)
      return { call: /\w*$/.exec(before.slice(0, at))?.[0] ?? '', argumentsBefore: before.slice(at + 1) }
    closed -= 1
  }
  return { call: '', argumentsBefore: '' }
}

function textBetween(source: string, start: Place, end: Place): string {
  const lines = source.split('\n').slice(start.line - 1, end.line)
  const last = lines.length - 1
  return lines
    .map((line, i) => line.slice(i === 0 ? start.column - 1 : 0, i === last ? end.column - 1 : undefined))
    .join('\n')
}
