/**
 * Rules R1, R3, R3': which devices have standing, and when a device gains it. Pure; time is passed in.
 *
 * @module
 */

export interface StandingTimes {
  /** How long a request is public before it can take effect, and how long a device is active before it has standing. */
  readonly windowMs: number
  /** How long a lost device keeps its standing, and how long a device without an agreement waits for it. */
  readonly standingMs: number
}

/** How long a device must be active to gain standing: one window, or as long as standing lasts. */
export const WAITS = ['window', 'standing'] as const
export type Wait = (typeof WAITS)[number]

/** A period in which a device was active and could or could not co-sign. Every attestation starts a new span (R3). */
export interface Span {
  readonly since: number
  /** Null if the span has not ended. */
  readonly until: number | null
  readonly cosigns: boolean
  readonly wait: Wait
}

/** Returns when a span gives its device standing, if the span lasts until then. */
export function countsAt({ since, wait }: Pick<Span, 'since' | 'wait'>, times: StandingTimes): number {
  return since + (wait === 'window' ? times.windowMs : times.standingMs)
}

/** Returns whether the device was active long enough in this span to gain standing. */
function isSeasoned(span: Span, now: number, times: StandingTimes): boolean {
  return (span.until ?? now) >= countsAt(span, times)
}

/** Rule R1: a device that was active long enough has standing, and keeps it for `standingMs` after it was lost. */
export function hasStanding(spans: readonly Span[], now: number, times: StandingTimes): boolean {
  return spans.some(
    (span) => isSeasoned(span, now, times) && (span.until === null || now - span.until < times.standingMs),
  )
}

/** Rule R1: returns whether the device has standing from spans in which it could co-sign. */
export function hasCosignStanding(spans: readonly Span[], now: number, times: StandingTimes): boolean {
  return hasStanding(
    spans.filter(({ cosigns }) => cosigns),
    now,
    times,
  )
}

/**
 * Returns whether a request accepted now needs a co-signature: while a device could give one, and for one window after the
 * last such device lost that right. So the owner can notice before a thief profits from revoking the owner's devices. A
 * device that was attested anew keeps the right from its earlier span until the new span gives it.
 */
export function needsCosigner(devices: readonly (readonly Span[])[], now: number, times: StandingTimes): boolean {
  return devices.some((own) => {
    const cosigning = own.filter(({ cosigns }) => cosigns)
    const isActive = cosigning.some(({ until }) => until === null)
    const keptMs = isActive ? times.standingMs : times.windowMs
    return cosigning.some((span) => isSeasoned(span, now, times) && (span.until === null || now - span.until < keptMs))
  })
}

/** The situation in which a span begins. */
export interface Beginning {
  /** Whether an attestation begins the span, and not a change of an attested device. */
  readonly isAttestation: boolean
  /** Whether another device with standing has signed an agreement. */
  readonly isAgreed: boolean
  /** Earlier spans of the device itself. */
  readonly own: readonly Span[]
  /** Spans of every other device of the epoch. */
  readonly others: readonly (readonly Span[])[]
}

/**
 * Rule R3': returns how long a device waits for standing if its span begins now. If the root key acts alone while another
 * device has standing, the wait is as long as lost standing lasts, so that the owner can notice the act in that time.
 *
 * A change leaves the wait as it is: a device with standing keeps it, and a waiting device waits as before. Otherwise a
 * thief could attest a device and shorten its wait by suspending and resuming it.
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

/** Returns when an active device without standing gains it, if it stays active; null for any other device. */
export function waitsUntil(spans: readonly Span[], now: number, times: StandingTimes): number | null {
  const open = spans.find(({ until }) => until === null)
  return open && !hasStanding(spans, now, times) ? countsAt(open, times) : null
}
