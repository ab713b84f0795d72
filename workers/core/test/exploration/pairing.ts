/**
 * Pairing as a model: an owner with a root key, a device, somebody who attacks, and core. What core does with an offer is
 * decided by its own rules; keys, proofs and signatures are symbols, which nobody can make without what they need.
 */
import type { SignedDeviceAcceptance } from '@svc/protocol/base/device'
import type { JoinRequest, OfferStatus } from '@svc/protocol/devices/rendezvous'
import { checkConsumption, checkDelivery, checkJoin, closesOn, type OfferRow } from '../../src/rendezvous/rules.ts'
import type { Model } from './explore.ts'

type Party = 'owner' | 'attacker'
type Joiner = 'device' | 'attacker'

export interface Scene {
  /** Whether core follows its rules, or answers whatever serves the attacker. */
  readonly core: 'honest' | 'lying'
  /** When the attacker sees the invitation: `late` is after the device has seen who offers. */
  readonly photograph: 'never' | 'first' | 'late'
  /** Whether a person compares the codes, and whether the devices check the proofs. */
  readonly compares: boolean
  readonly proves: boolean
}

/** What a side says who joined, and whether it was made with the secret. */
interface Request {
  readonly joiner: Joiner
  /** Which identity the joiner accepted. */
  readonly accepts: Party
  readonly isProved: boolean
}

export interface State {
  readonly status: OfferStatus | 'gone'
  readonly request: Request | null
  readonly wrongTokens: number
  /** Who can open what waits at core. */
  readonly sealedTo: Joiner | null
  readonly handedOver: number
  /** What the owner has verified, attested and given up. */
  readonly read: Request | null
  readonly attested: Joiner | null
  readonly attestation: 'none' | 'unconfirmed' | 'confirmed' | 'ended'
  readonly owner: 'waits' | 'sealed' | 'cancelled'
  /** Which identity the device has seen proved, and how far it is with it. */
  readonly looked: Party | null
  readonly device: 'idle' | 'joined' | 'refused' | 'member' | 'stored' | 'confirmed' | 'lost'
  /** Somebody other than the device has opened what the owner sealed. */
  readonly isLeaked: boolean
}

const initial: State = {
  status: 'open',
  request: null,
  wrongTokens: 0,
  sealedTo: null,
  handedOver: 0,
  read: null,
  attested: null,
  attestation: 'none',
  owner: 'waits',
  looked: null,
  device: 'idle',
  isLeaked: false,
}

export const pairing = (scene: Scene): Model<State> => ({
  initial,
  moves: (state) => [
    ...ownerMoves(state, scene),
    ...deviceMoves(state, scene),
    ...attackerMoves(state, scene),
    ...timeMoves(state),
  ],
})

/** The offer is over, and what was attested has confirmed or ended. */
export const isOver = ({ status, attestation }: State): boolean =>
  (status === 'gone' || status === 'delivered') && attestation !== 'unconfirmed'

type Move = readonly [string, State]

const knowsSecret = ({ looked }: State, { photograph }: Scene): boolean =>
  photograph === 'first' || (photograph === 'late' && looked !== null)

/** What a core that lies can show the owner: what it got, and what somebody with the secret can make. */
function shownRequests(state: State, scene: Scene): readonly (Request | null)[] {
  if (scene.core === 'honest') return [state.request]
  const invented = { joiner: 'attacker', accepts: 'owner', isProved: knowsSecret(state, scene) } as const
  return [null, state.request, invented]
}

/** The code on a screen is a MAC over device and root key: two screens show the same one for the same pair. */
const showsSameCode = (state: State, { joiner }: Request): boolean =>
  joiner === 'device' && state.looked === 'owner' && ['joined', 'lost'].includes(state.device)

function* ownerMoves(state: State, scene: Scene): Generator<Move> {
  if (state.owner === 'cancelled' || (state.status === 'gone' && scene.core === 'honest')) return
  if (state.attested === null)
    for (const request of shownRequests(state, scene)) {
      const isTaken = request !== null && request.accepts === 'owner' && (request.isProved || !scene.proves)
      if (isTaken && request !== state.read) yield [`the owner reads ${request.joiner}`, { ...state, read: request }]
    }
  const { read } = state
  if (read && state.attested === null && (!scene.compares || showsSameCode(state, read)))
    yield [`the owner attests ${read.joiner}`, { ...state, attested: read.joiner, attestation: 'unconfirmed' }]
  if (state.attested !== null && state.owner === 'waits') {
    const isAllowed = scene.core === 'lying' || checkDelivery(rowOf(state)).ok
    if (isAllowed)
      yield ['the owner delivers', { ...state, owner: 'sealed', status: 'delivered', sealedTo: state.attested }]
  }
  yield ['the owner cancels', { ...state, owner: 'cancelled', status: 'gone' }]
}

function* deviceMoves(state: State, scene: Scene): Generator<Move> {
  if (state.device === 'lost' || state.device === 'refused') return
  if (state.device === 'confirmed') return
  if (state.device !== 'idle') yield ['the device loses power', { ...state, device: 'lost' }]
  const isThere = state.status !== 'gone' || scene.core === 'lying'
  if (state.device === 'idle' && isThere) {
    if (state.looked === null)
      for (const who of scene.core === 'honest' ? (['owner'] as const) : (['owner', 'attacker'] as const)) {
        const isProved = who === 'owner' || knowsSecret(state, scene)
        if (isProved || !scene.proves) yield [`the device sees ${who} offering`, { ...state, looked: who }]
      }
    else yield* joins(state, scene, { joiner: 'device', accepts: state.looked, isProved: true }, 'the device')
  }
  if (state.device === 'joined') yield* takes(state, scene)
  if (state.device === 'member') yield ['the device stores its keys', { ...state, device: 'stored' }]
  if (state.device === 'stored' && state.attestation === 'unconfirmed')
    yield ['the device confirms', { ...state, device: 'confirmed', attestation: 'confirmed' }]
}

function* joins(state: State, scene: Scene, request: Request, who: string): Generator<Move> {
  const isDevice = request.joiner === 'device'
  const joined = isDevice ? ({ device: 'joined' } as const) : {}
  if (scene.core === 'lying') {
    yield [`${who} joins, and core keeps it`, { ...state, ...joined, status: 'joined', request }]
    yield [`${who} joins, and core drops it`, { ...state, ...joined }]
    return
  }
  if (state.status === 'gone') return
  const checked = checkJoin(rowOf(state), requestOf(request))
  if (checked.ok && checked.value === 'join') yield [`${who} joins`, { ...state, ...joined, status: 'joined', request }]
  else if (checked.ok) yield [`${who} joins again`, { ...state, ...joined }]
  else if (isDevice) yield [`${who} is refused`, { ...state, device: 'refused' }]
}

/** A delivery counts if the identity that the device has looked at signed it for this device. */
function* takes(state: State, scene: Scene): Generator<Move> {
  const byOwner = state.sealedTo === 'device' && state.looked === 'owner'
  const byAttacker = scene.core === 'lying' && state.looked === 'attacker'
  const isConsumed = scene.core === 'honest' && state.status !== 'gone' && checkConsumption(rowOf(state)).ok
  const handedOver = state.handedOver + (isConsumed ? 1 : 0)
  const gone = { status: 'gone', sealedTo: null, handedOver } as const
  if (byOwner && (isConsumed || scene.core === 'lying'))
    yield ['the device takes', { ...state, ...gone, device: 'member' }]
  else if (byAttacker) yield ['the device takes', { ...state, device: 'member' }]
}

function* attackerMoves(state: State, scene: Scene): Generator<Move> {
  const hasToken = knowsSecret(state, scene)
  if (state.status !== 'gone' && scene.core === 'honest') {
    const wrongTokens = state.wrongTokens + 1
    const after = closesOn(wrongTokens) ? { status: 'gone' as const, sealedTo: null } : {}
    yield ['somebody guesses a token', { ...state, ...after, wrongTokens }]
  }
  if (!hasToken) return
  yield* joins(state, scene, { joiner: 'attacker', accepts: 'owner', isProved: true }, 'the attacker')
  if (state.status !== 'gone') yield ['the attacker ends the offer', { ...state, status: 'gone', sealedTo: null }]
  if (state.status === 'delivered' && checkConsumption(rowOf(state)).ok) {
    const isLeaked = state.isLeaked || state.sealedTo === 'attacker'
    const handedOver = state.handedOver + (scene.core === 'honest' ? 1 : 0)
    yield ['the attacker takes', { ...state, status: 'gone', sealedTo: null, handedOver, isLeaked }]
  }
}

function* timeMoves(state: State): Generator<Move> {
  if (state.status !== 'gone') yield ['the offer expires', { ...state, status: 'gone', sealedTo: null }]
  if (state.attestation === 'unconfirmed') yield ['an hour passes', { ...state, attestation: 'ended' }]
}

const DIDS = { owner: 'did:of:owner', attacker: 'did:of:attacker' } as const

/** What core's rules see of a state. */
function rowOf({ status, request, wrongTokens }: State): OfferRow {
  if (status === 'gone') throw new Error('There is no offer any more')
  const stored = request && requestOf(request)
  const about = { flow: 'pairing', did: DIDS.owner, tokenHash: '', proof: '', expiresAt: 1 } as const
  return { ...about, status, wrongTokens, request: stored }
}

const requestOf = ({ joiner, accepts, isProved }: Request): JoinRequest => ({
  acceptance: {
    statement: { did: DIDS[accepts], deviceId: joiner, issuedAt: 0 },
    signatureB64u: joiner,
  } as unknown as SignedDeviceAcceptance,
  proofB64u: isProved ? 'proved' : 'invented',
})
