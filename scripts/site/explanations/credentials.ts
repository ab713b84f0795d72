/**
 * Where the credential of an operation is explained.
 *
 * @module
 */
import type { RenderedOperation } from '@svc/service/markdown'

/** By the name of the security scheme, with the header that has it. */
const SCHEMES: Readonly<Record<string, readonly [page: string, header: string]>> = {
  ServiceAssertion: ['assertions#format', 'Authorization'],
  SvcSignature: ['consent#writing', 'X-Svc-Signature'],
  PairingToken: ['pairing#invitation', 'X-Pairing-Token'],
  OfferToken: ['pairing#invitation', 'X-Offer-Token'],
  WatchToken: ['rotation#watch-tokens', 'X-Watch-Token'],
  SignInSession: ['auth#sessions', 'X-Sign-In-Session'],
  SocketTicket: ['events#a-websocket', 'Sec-WebSocket-Protocol'],
}

/** What the body or a header has where OpenAPI knows no scheme, by operation. */
const OWN: Readonly<Record<string, readonly [what: string, page: string, where: string]>> = {
  initGenesis: ['the signature of the block', 'chain#genesis', 'in the body'],
  rotateOfficers: ['signatures of root keys', 'devices#organizations-and-officers', 'in the body'],
  collectNotes: ['a statement by the root key', 'notes#deletion', 'in the body'],
  rebuildNotes: ['a statement by the root key', 'notes#deletion', 'in the body'],
  reportPublication: ['a statement by the publisher', 'anchors#the-publisher-s-callback', 'in the body'],
  redeemCode: ['an activation code', 'account#redeeming-a-code', 'in the body'],
  redeemOnPage: ['an activation code', 'account#redeeming-a-code', 'in the form'],
  verifyOtp: ['a one-time code', 'inbox#delivery', 'in the body'],
  cosignAnchorLog: ['a statement by a witness', 'anchors#witnesses', 'in the body'],
  cosignCheckpoint: ['a statement by a witness', 'keys#witnesses', 'in the body'],
  takeStripeEvent: ['the signature of the payment provider', 'pay#provider-events', 'in `Stripe-Signature`'],
}
const OF_OPERATOR = ['a statement by the operator', 'operating#operator-key', 'in the body'] as const

export function credentialLink(scheme: string): string {
  const [page, header] = SCHEMES[scheme] ?? []
  return page === undefined ? scheme : `[${scheme}](/developer/${page}) in \`${header}\``
}

export function ownCredential({ operationId = '', tags = [] }: RenderedOperation): string | undefined {
  const [what, page, where] = tags.includes('operator') ? OF_OPERATOR : (OWN[operationId] ?? [])
  return what === undefined ? undefined : `[${what}](/developer/${page}) ${where}`
}

/** The names that the documents must have. */
export const KNOWN = { schemes: Object.keys(SCHEMES), operations: Object.keys(OWN) }
