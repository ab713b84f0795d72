/**
 * Contact as a model: somebody who writes to the owner of an asset, the owner, somebody who attacks, and core. What core
 * does with a request is decided by the rules of the inbox; keys, envelopes and signatures are symbols, which nobody can
 * open or make without what they need. Time goes in steps of half the life of a code.
 */
import { CONTACT_CODE_LIFETIME_MS, MAX_CODE_ATTEMPTS } from '@svc/protocol/inbox/inbox'
import { type ContactRow, checkDelivery, checkResend, living } from '../../src/inbox/rules.ts'
import type { Model } from './explore.ts'

const STEP_MS = CONTACT_CODE_LIFETIME_MS / 2
/** A code lives for two steps, and a request has three codes. */
const LAST_STEP = 6

export type Party = 'sender' | 'owner' | 'attacker'
/** A key of the owner, or of an identity of the attacker. The owner replaces the first by the second. */
type Key = 'first' | 'second' | 'attacker'

export interface Scene {
  readonly core: 'honest' | 'lying'
  /** Whether the sender knows the owner’s DID from another source. */
  readonly isPinned: boolean
}

interface Envelope {
  readonly by: 'sender' | 'attacker'
  readonly to: Key
  /** Who can open an answer to it. */
  readonly replyTo: 'sender' | 'attacker'
}

interface Answer {
  readonly signedBy: 'owner' | 'attacker'
  /** For which request. */
  readonly about: 'this' | 'another'
  readonly to: 'sender' | 'attacker'
}

export interface State {
  readonly step: number
  /** At core: null before, and after the request has ended. Codes are numbered. */
  readonly row: {
    sends: number
    sentAt: number
    attempts: number
    delivered: Envelope | null
    hasAddress: boolean
  } | null
  readonly isOpened: boolean
  readonly ownersKey: Key
  /** The key that the sender has accepted, and what was sealed to it: a retry sends the same. */
  readonly sealed: Envelope | null
  readonly hasRead: boolean
  readonly messages: readonly (Envelope & { readonly wasConfirmed: boolean })[]
  readonly answers: readonly Answer[]
  /** What somebody other than the owner has opened. */
  readonly isLeaked: boolean
  /** The sender has an answer. */
  readonly answered: Answer | null
}

const initial: State = {
  step: 0,
  row: null,
  isOpened: false,
  ownersKey: 'first',
  sealed: null,
  hasRead: false,
  messages: [],
  answers: [],
  isLeaked: false,
  answered: null,
}

export const contact = (scene: Scene): Model<State> => ({
  initial,
  moves: (state) => [
    ...senderMoves(state, scene),
    ...ownerMoves(state),
    ...attackerMoves(state),
    // Codes, attempts and times bind a core that keeps to its rules; one that lies needs none of them.
    ...(scene.core === 'honest' ? [...countedMoves(state), ...timeMoves(state)] : lies(state)),
  ],
})

/** Answered, or nothing is left of the request. */
export const isOver = ({ answered, isOpened, row, step }: State): boolean =>
  answered !== null || (isOpened && (row === null || !row.hasAddress)) || step === LAST_STEP

type Move = readonly [string, State]

function* senderMoves(state: State, { core, isPinned }: Scene): Generator<Move> {
  if (!state.isOpened) {
    const row = { sends: 1, sentAt: state.step, attempts: 0, delivered: null, hasAddress: true }
    const keys: Key[] = core === 'honest' ? [state.ownersKey] : [state.ownersKey, 'attacker']
    for (const to of keys) {
      // The key leads to a DID, which the sender compares if it is known.
      if (to === 'attacker' && isPinned) continue
      const sealed = { by: 'sender', to, replyTo: 'sender' } as const
      yield [`the sender opens a request for the key ${to}`, { ...state, isOpened: true, row, sealed }]
    }
    return
  }
  const { sealed } = state
  if (sealed) yield* presented(state, sealed, true, 'the sender sends the code')
  for (const answer of state.answers)
    if (state.answered === null && isGenuine(answer, sealed))
      yield ['the sender opens an answer', { ...state, answered: answer }]
}

/** An answer counts if the identity that the message was sealed to has signed it for this request. */
const isGenuine = (answer: Answer, sealed: Envelope | null): boolean =>
  answer.to === 'sender' &&
  answer.about === 'this' &&
  answer.signedBy === (sealed?.to === 'attacker' ? 'attacker' : 'owner')

function* presented(state: State, envelope: Envelope, isCodeRight: boolean, move: string): Generator<Move> {
  const { row } = state
  if (!row) return
  const isSameEnvelope = JSON.stringify(row.delivered) === JSON.stringify(envelope)
  const keys = { kemKeyId: envelope.to, kemKeyIdInForce: state.ownersKey }
  const checked = checkDelivery(rowOf(state), { isCodeRight, isSameEnvelope, ...keys, messages: 0 }, nowOf(state))
  if (checked.ok && checked.value === 'deliver') {
    const delivered = { ...row, delivered: envelope, hasAddress: false }
    const messages = [...state.messages, { ...envelope, wasConfirmed: isCodeRight }]
    yield [move, { ...state, row: delivered, messages }]
  } else if (!checked.ok && checked.error.reason === 'code_rejected')
    yield [move, { ...state, row: checked.error.attemptsLeft === 0 ? null : { ...row, attempts: row.attempts + 1 } }]
}

function* resent(state: State, move: string): Generator<Move> {
  const { row } = state
  if (row && checkResend(rowOf(state), nowOf(state)).ok)
    yield [move, { ...state, row: { ...row, sends: row.sends + 1, sentAt: state.step } }]
}

function* ownerMoves(state: State): Generator<Move> {
  for (const { by, to, replyTo } of state.messages) {
    if (to !== 'first' && to !== 'second') continue
    if (by === 'sender') yield ['the owner opens the message', { ...state, hasRead: true }]
    // The answer goes to the key in the message, signed for the request that it came with.
    const answer = { signedBy: 'owner', about: 'this', to: replyTo } as const
    if (by !== 'sender' || state.hasRead) yield ['the owner answers', withAnswer(state, answer)]
  }
  if (state.ownersKey === 'first') yield ['the owner replaces the key', { ...state, ownersKey: 'second' }]
}

const junkFor = (state: State): Envelope => ({ by: 'attacker', to: state.ownersKey, replyTo: 'attacker' })

function* countedMoves(state: State): Generator<Move> {
  yield* presented(state, junkFor(state), false, 'somebody guesses the code')
  if (state.sealed) yield* presented(state, state.sealed, false, 'somebody replays the envelope')
  yield* resent(state, 'somebody asks for another code')
}

function* attackerMoves(state: State): Generator<Move> {
  if (state.sealed?.to === 'attacker') yield ['the attacker opens the message', { ...state, isLeaked: true }]
  // Anybody can encrypt to the key of a sender, if core hands it on.
  yield ['an answer is forged', withAnswer(state, { signedBy: 'attacker', about: 'this', to: 'sender' })]
  yield ['an old answer is replayed', withAnswer(state, { signedBy: 'owner', about: 'another', to: 'sender' })]
}

function* lies(state: State): Generator<Move> {
  const { row } = state
  if (row && state.messages.length < 2) {
    const stored = [junkFor(state), ...(state.sealed ? [state.sealed] : [])]
    for (const envelope of stored) {
      const messages = [...state.messages, { ...envelope, wasConfirmed: false }]
      yield [`core delivers what the ${envelope.by} made`, { ...state, messages }]
    }
  }
  if (row) yield ['core forgets the request', { ...state, row: null }]
}

function* timeMoves(state: State): Generator<Move> {
  if (state.step === LAST_STEP) return
  const later = { ...state, step: state.step + 1 }
  const hasExpired = later.row && !living(rowOf(later), nowOf(later))
  yield ['time passes', hasExpired ? { ...later, row: null } : later]
}

function withAnswer(state: State, answer: Answer): State {
  const isKnown = state.answers.some((one) => JSON.stringify(one) === JSON.stringify(answer))
  const answers = [...state.answers, answer].toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return isKnown ? state : { ...state, answers }
}

const nowOf = ({ step }: State) => step * STEP_MS

/** What the rules of the inbox see of a state. */
function rowOf({ row, sealed }: State): ContactRow | null {
  if (!row) return null
  const { sends, sentAt, attempts, delivered, hasAddress } = row
  if (attempts >= MAX_CODE_ATTEMPTS) throw new Error('The request has ended')
  return {
    requestId: 'this',
    assetId: 'asset',
    kemKeyId: sealed?.to ?? 'first',
    address: hasAddress ? 'sender@example.org' : null,
    codeHash: String(sends),
    sentAt: sentAt * STEP_MS,
    expiresAt: sentAt * STEP_MS + CONTACT_CODE_LIFETIME_MS,
    sends,
    attempts,
    delivered: delivered && { envelopeHash: delivered.by, at: sentAt * STEP_MS },
  }
}
