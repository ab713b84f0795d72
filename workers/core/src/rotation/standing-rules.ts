/**
 * R1, R3, R3': which devices have standing, and when a device gets it. Pure; time is passed in.
 *
 * @module
 */

export interface StandingTimes {
  /** How long a request is public before it can take effect, and how long a device must be active before it counts. */
  readonly windowMs: number
  /** How long a device keeps its standing after it was lost, and how long one that nobody agreed to waits for it. */
  readonly standingMs: number
}

/** How long a device must be active before it counts: one window, or as long as standing lasts. */
export const WAITS = ['window', 'standing'] as const
export type Wait = (typeof WAITS)[number]

/** A time in which a device was active with the same right to co-sign. Every attestation starts a new span (R3). */
export interface Span {
  readonly since: number
  /** Null while it lasts. */
  readonly until: number | null
  readonly cosigns: boolean
  readonly wait: Wait
}

/** When a span gives its device standing, if it lasts until then. */
export function countsAt({ since, wait }: Pick<Span, 'since' | 'wait'>, times: StandingTimes): number {
  return since + (wait === 'window' ? times.windowMs : times.standingMs)
}

/** Active long enough at some time. */
function isSeasoned(span: Span, now: number, times: StandingTimes): boolean {
  return (span.until ?? now) >= countsAt(span, times)
}

/** R1: a device that was active long enough has standing, and keeps it for a time after it is lost. */
export function hasStanding(spans: readonly Span[], now: number, times: StandingTimes): boolean {
  return spans.some(
    (span) => isSeasoned(span, now, times) && (span.until === null || now - span.until < times.standingMs),
  )
}

/** R1: what a device with standing could co-sign, it still can. */
export function hasCosignStanding(spans: readonly Span[], now: number, times: StandingTimes): boolean {
  return hasStanding(
    spans.filter(({ cosigns }) => cosigns),
    now,
    times,
  )
}

/**
 * Whether a request taken now needs a co-signature: while a device could give one, and for a window after the last one
 * lost that right, so that revoking the owner's devices gains a thief nothing before the owner can see it. A device that
 * was attested anew has not lost it: it counts by its span from before until the new one does.
 */
export function needsCosigner(devices: readonly (readonly Span[])[], now: number, times: StandingTimes): boolean {
  return devices.some((own) => {
    const cosigning = own.filter(({ cosigns }) => cosigns)
    const isActive = cosigning.some(({ until }) => until === null)
    const keptMs = isActive ? times.standingMs : times.windowMs
    return cosigning.some((span) => isSeasoned(span, now, times) && (span.until === null || now - span.until < keptMs))
  })
}

/** What is known where a span begins. */
export interface Beginning {
  /** By an attestation, as opposed to a change of a device that is attested. */
  readonly isAttestation: boolean
  /** Another device with standing has signed that it agrees. */
  readonly isAgreed: boolean
  /** Of the device itself, as they were before. */
  readonly own: readonly Span[]
  /** Of every other device of the epoch. */
  readonly others: readonly (readonly Span[])[]
}

/**
 * R3': how long the device of a span that begins now waits. What the root key does alone while another device has standing
 * counts as late as a lost standing ends, so that the owner can look once in that time.
 *
 * A change makes no new device: one with standing keeps it, and one that waits goes on waiting as before. Otherwise a thief
 * would attest a device, and shorten its time by suspending and resuming it.
 */
export function waitOf({ isAttestation, isAgreed, own, others }: Beginning, now: number, times: StandingTimes): Wait {
  if (isAgreed) return 'window'
  if (!isAttestation) {
    if (hasStanding(own, now, times)) return 'window'
    const open = own.find(({ until }) => until === null)
    if (open) return open.wait
  }
  return others.some((spans) => hasStanding(spans, now, times)) ? 'standing' : 'window'
}

/** When an active device that has no standing yet gets it, if it stays active; null for every other. */
export function waitsUntil(spans: readonly Span[], now: number, times: StandingTimes): number | null {
  const open = spans.find(({ until }) => until === null)
  return open && !hasStanding(spans, now, times) ? countsAt(open, times) : null
}
