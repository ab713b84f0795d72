import { checkCall } from '../arguments/check.ts'
import { StaleMirrorError } from './stale-mirror-error.ts'

/** Where a result came from, if the service did not answer. */
export interface FromMirror {
  /** Origin of the mirror. */
  readonly mirror: string
  /**
   * When the service signed what proves the result, epoch ms. Null for what nothing signed proves: the list of logs, which
   * has its own time, and pages of the directory of anchors until a checkpoint was verified.
   */
  readonly signedAt: number | null
  /** How long ago that was, ms. */
  readonly ageMs: number | null
  /** The mirror says that it refuses what the service shows now, because it contradicts what it had signed. */
  readonly isRefusing: boolean
}

interface Marked {
  from: FromMirror
  readonly maxAgeMs: number
}

const marks = /* @__PURE__ */ new WeakMap<object, Marked>()

/**
 * Which mirror a result came from, and how old what proves it is; null if the service itself answered. Takes what a method
 * of the client returned, any object in it, and the evidence of a `VerificationError`.
 */
export function mirrorOf(result: object): FromMirror | null {
  checkCall('mirrorOf', [result], ['result'])
  return marks.get(result)?.from ?? null
}

/** Marks an answer, and every object in it, as one of a mirror. */
export function markMirrored<T>(answer: T, from: FromMirror, maxAgeMs: number): T {
  mark(answer, { from, maxAgeMs })
  return answer
}

/** Marks what was made of an answer like the answer. */
export function markLike<T extends object>(made: T, answer: object): T {
  const marked = marks.get(answer)
  if (marked) marks.set(made, marked)
  return made
}

/**
 * Takes an answer that is proved by something signed at this time. Throws a `StaleMirrorError` if a mirror sent it and it
 * is older than the client accepts. Nothing follows the final checkpoint of a closed log, so that one may be any age.
 */
export function acceptAge(answer: object, signedAt: number, now: number, isFinal = false): void {
  const marked = marks.get(answer)
  if (!marked) return
  const ageMs = Math.max(0, now - signedAt)
  if (ageMs > marked.maxAgeMs && !isFinal) throw new StaleMirrorError(marked.from.mirror, ageMs, marked.maxAgeMs)
  marked.from = { ...marked.from, signedAt, ageMs }
}

/** The time at which an answer has to be valid: for one of a mirror, as long ago as the client accepts. */
export function clockFor(answer: object, now: number): number {
  return now - (marks.get(answer)?.maxAgeMs ?? 0)
}

function mark(value: unknown, marked: Marked): void {
  if (typeof value !== 'object' || value === null) return
  marks.set(value, marked)
  for (const member of Object.values(value)) mark(member, marked)
}
