/** The rules that the game is played by, and the scale of its times: those of the service, or with one left out. */
import * as rules from '../../../src/rotation/rules.ts'
import * as standing from '../../../src/rotation/standing-rules.ts'
import * as succession from '../../../src/rotation/succession-rules.ts'
import { basisOf, type Factors } from './committed/rules.ts'

export interface Rulebook
  extends Pick<typeof standing, 'hasStanding' | 'hasCosignStanding' | 'needsCosigner' | 'waitOf'>,
    Pick<
      typeof rules,
      'mayOpen' | 'mayReopen' | 'mayAnyoneActivate' | 'checkDue' | 'decideVeto' | 'decideDeactivation' | 'mayApprove'
    > {
  readonly deadlineOf: typeof succession.deadlineOf
  readonly decideSuccession: typeof succession.decideOpening
  readonly basisOf: typeof basisOf
  /** R9: whether the operator can approve for somebody with these factors, where there is a commitment. */
  readonly mayAsk: (factors: Factors) => boolean
  /** R17: whether these factors can end an identity with a commitment. */
  readonly mayEnd: (factors: Factors) => boolean
  /** Ticks of a window, of a contested request, and of standing. */
  readonly times: rules.Times
  /** The owner looks once in so many ticks. */
  readonly look: number
  /** Moves of the owner at a look. */
  readonly moves: number
  /** Ticks that the operator takes, if the scene does not say. */
  readonly operator: number
  /** R3: whether an attestation starts the window of a device anew. */
  readonly startsAnew: boolean
  /** R2: how often one device may freeze. */
  readonly freezes: number
  /** Whether a threshold of guardians counts as a co-signature. The service knows of none. */
  readonly countsGuardians: boolean
}

/** Three ticks to a window, a look every second tick. */
export const RULEBOOK: Rulebook = {
  ...standing,
  ...rules,
  deadlineOf: succession.deadlineOf,
  decideSuccession: succession.decideOpening,
  basisOf,
  mayAsk: ({ root, successor }) => basisOf({ root, successor, device: false }, false) !== null,
  mayEnd: (factors) => basisOf(factors, false) === 'full',
  times: { windowMs: 3, contestMs: 6, standingMs: 9 },
  look: 2,
  moves: 3,
  operator: 3,
  startsAnew: true,
  freezes: Number.POSITIVE_INFINITY,
  countsGuardians: false,
}

/** Two ticks to a window, a look each tick: for whole tables. */
export const COARSE: Rulebook = {
  ...RULEBOOK,
  times: { windowMs: 2, contestMs: 4, standingMs: 5 },
  look: 1,
  moves: 2,
}

export const capOf = ({ standingMs, windowMs }: rules.Times) => Math.max(standingMs, windowMs)
