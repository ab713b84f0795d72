import { Client, Device, type FetchInit, WatchToken } from '@svc/client'
import { SignIn } from '@svc/client/sign-in'
import { textOf } from '@svc/client/text'
import type { Configuration } from '../configuration.ts'
import { SaidError } from '../failures/sentences.ts'
import { words } from '../words/explorer/words.ts'
import type { Signer } from './asserters.ts'
import { record, text } from './document.ts'
import type { Operation } from './operations.ts'
import { type Filled, filledOf, prepare } from './request.ts'
import { send } from './send.ts'

export interface Obtaining {
  /** What is filled in. */
  readonly operation: Operation
  readonly filled: Filled
  /** All of the service. */
  readonly operations: readonly Operation[]
  readonly origin: string
  readonly services: Configuration['services']
  /** Null for nobody. */
  readonly signer: Signer | null
}

/** A credential, and what else of a request comes with it. */
export interface Obtained {
  readonly credential: string
  readonly values?: Filled['values']
  readonly body?: string
}

/** How the explorer gets each credential, by the name of its scheme. */
const WAYS = {
  PairingToken: (about) => offered('pairing', 'x-pairing-token', about),
  OfferToken: (about) => offered('authorization', 'x-offer-token', about),
  SocketTicket: async (about) => {
    const { ticket } = await answered('issueEventTicket', about)
    return { credential: `svc.events.v1, svc.ticket.${text(ticket)}` }
  },
  WatchToken: async ({ services, signer }) => {
    if (!signer) throw new SaidError(words.chooseSigner)
    const client = await Client.connect({ core: services.core, ...ownerOf(signer) })
    const token = await client.watch.make(WatchToken.create())
    return { credential: token.reveal() }
  },
  SignInSession: async ({ services }) => {
    const { session } = await new SignIn({ auth: services.auth }).usePasskey()
    return { credential: session.token }
  },
  SvcSignature: signed,
} satisfies Record<string, (about: Obtaining) => Promise<Obtained>>
export type Obtainable = keyof typeof WAYS

export const canObtain = (scheme: string): scheme is Obtainable => Object.hasOwn(WAYS, scheme)
/** Whether it comes from the identity that signs. */
export const isOfSigner = (scheme: string): boolean => canObtain(scheme) && scheme !== 'SignInSession'
export const obtain = (scheme: Obtainable, about: Obtaining): Promise<Obtained> => WAYS[scheme](about)

/**
 * Opens an offer and returns its token. The token is derived from the invitation, so it is read from the request with which
 * the SDK would decline the offer.
 */
async function offered(way: 'pairing' | 'authorization', header: string, about: Obtaining): Promise<Obtained> {
  const { services, signer } = about
  if (!signer) throw new SaidError(words.chooseSigner)
  const client = await Client.connect({ core: services.core, ...ownerOf(signer) })
  const { code, invitation } = await client[way].offer()
  const { headers } = await wouldSend(about, signer, (unsent) => unsent[way].decline(invitation))
  return { credential: headers[header] ?? '', values: { code } }
}

/** The data that another operation of the service answers, without a body. */
async function answered(
  id: string,
  { operations, origin, signer }: Obtaining,
): Promise<Readonly<Record<string, unknown>>> {
  const operation = operations.find((one) => one.id === id)
  if (!operation || !signer) throw new SaidError(words.chooseSigner)
  const prepared = prepare(operation, origin, filledOf(operation, signer.did))
  const { status, body } = await send(prepared, operation.audience, signer.asserter).catch(() => {
    throw new SaidError(words.unreadable)
  })
  const answer = record(JSON.parse(body))
  if (status !== 200) throw new SaidError(words.refused(operation.path, text(answer['message'])))
  return record(answer['data'])
}

/** What the SDK would send for the preferences that are filled in. It goes no further than this function. */
async function signed(about: Obtaining): Promise<Obtained> {
  const { operation, filled, signer } = about
  if (!signer) throw new SaidError(words.chooseSigner)
  const filledIn = record(parsed(filled.body))
  const hash = text(filledIn['content_hash']) || (filled.values['hash'] ?? '')
  const acts: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
    createConsent: ({ consent }) => consent.publish(hash, record(filledIn['preferences'])),
    updateConsent: ({ consent }) => consent.update(hash, record(filledIn['preferences'])),
    deleteConsent: ({ consent }) => consent.revoke(hash),
  }
  const act = acts[operation.id]
  if (!act) throw new TypeError(`${operation.id} is not signed`)
  const { headers, body } = await wouldSend(about, signer, act)
  return { credential: headers['x-svc-signature'] ?? '', body: readable(body) }
}

/** The first request that an act of the SDK makes. It is not sent. */
async function wouldSend(
  { services }: Obtaining,
  signer: Signer,
  act: (client: Client) => Promise<unknown>,
): Promise<Pick<FetchInit, 'headers' | 'body'>> {
  let made: Pick<FetchInit, 'headers' | 'body'> | null = null
  const client = new Client({
    ...services,
    did: services['did'] ?? '',
    ...ownerOf(signer),
    // Nothing is answered, so nothing is verified.
    receiptKeyB64u: '',
    quotaReceiptKeyB64u: '',
    reservationKeyB64u: '',
    retries: false,
    fetch: (_, { headers, body }) => {
      made ??= { headers, ...(body && { body }) }
      return Promise.resolve(Response.json({ success: false }, { status: 400 }))
    },
  })
  await act(client).catch((error: unknown) => {
    if (!made) throw error
  })
  if (!made) throw new TypeError('The SDK asked for nothing')
  return made
}

const ownerOf = ({ asserter }: Signer) => (asserter instanceof Device ? { device: asserter } : { identity: asserter })

const readable = (body = new Uint8Array()): string => JSON.stringify(parsed(textOf(body)), null, 2)

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new SaidError(words.notJson)
  }
}
