/**
 * How each request that could carry a guess, spend money or send mail is bounded. Such a bound is exact: a counter in one
 * Durable Object, or a rule of the object that holds the secret, from all locations together.
 *
 * @module
 */

/** A test that sends more at once, or from more addresses, than the bound allows. */
export interface Proof {
  readonly file: string
  readonly test: string
}

export type Bound =
  /** Windows of the operation, which an object counts. */
  | { readonly counters: readonly [string, ...string[]] }
  /** A rule of the object, or of the row, that holds the secret. */
  | { readonly rule: string; readonly proof: Proof }
  /** At least 128 random bits or a signature: nobody guesses it, so nothing needs to be counted. */
  | { readonly unguessable: string }
  /** The request carries no secret, moves no money and sends no mail. */
  | { readonly openToAll: string }

const ONE_LOGIN: Bound = {
  rule: 'a ceremony has one attempt',
  proof: {
    file: 'workers/auth/test/opaque/opaque.test.ts',
    test: 'has one attempt for one login, whatever comes of it',
  },
}
const OFFER: Bound = {
  rule: 'five wrong tokens end an offer',
  proof: {
    file: 'workers/core/test/rendezvous/races.test.ts',
    test: 'guess the token: five are heard, and the offer is over',
  },
}
const OFFER_OF_OWNER: Bound = { unguessable: 'the assertion of the owner; the code only names the offer' }
const SESSION: Bound = { unguessable: 'the token of a session: 256 bits' }
const SIGNED: Bound = { unguessable: 'a signature by a key of the request’s subject' }
const PASSKEY: Bound = { unguessable: 'a signature by a passkey over a challenge that is used once' }
const VERIFIED: Bound = { openToAll: 'a computation over what the caller sends' }
const SEARCH: Bound = { openToAll: 'a search; the assertion selects the tier' }
const METER: Bound = {
  rule: 'a meter checks and counts in one transaction of its object',
  proof: {
    file: 'workers/pay/test/quota/races.test.ts',
    test: 'fifty consumptions against a limit of twenty: exactly twenty succeed',
  },
}

/** By operationId: every write that no assertion of the caller signs, and whatever takes a code, a token or money. */
export const BOUNDS: Readonly<Record<string, Bound>> = {
  // auth
  verifyChallenge: { unguessable: 'a token that the challenge provider verifies, once' },
  beginOpaqueRegistration: { counters: ['guess', 'guess-challenged', 'guess-known'] },
  finishOpaqueRegistration: { counters: ['register-mail', 'register-mail-domain', 'register-mail-caller'] },
  confirmOpaqueRegistration: { counters: ['register-code'] },
  beginOpaqueLogin: { counters: ['guess', 'guess-challenged', 'guess-known'] },
  finishOpaqueLogin: ONE_LOGIN,
  registerPasskey: PASSKEY,
  authenticatePasskey: PASSKEY,
  verifyTicket: { unguessable: 'a ticket and its verifier: 256 bits each, spent once' },
  finishGoogle: { unguessable: 'the state and the code of the provider, with the cookie of the browser' },
  finishMicrosoft: { unguessable: 'the state and the code of the provider, with the cookie of the browser' },
  listPasskeys: SESSION,
  renamePasskey: SESSION,
  removePasskey: SESSION,
  readSession: SESSION,
  endSession: SESSION,
  deleteAccount: SESSION,
  grantRegistration: SESSION,
  listSessions: SESSION,
  endSessionById: SESSION,
  endOtherSessions: SESSION,
  listKnownDevices: SESSION,
  forgetKnownDevice: SESSION,
  forgetKnownDevices: SESSION,
  keepPasskeySecret: SESSION,
  readPasskeySecret: SESSION,
  removePasskeySecret: SESSION,
  // consent
  readConsentBatch: { openToAll: 'a read of public records' },
  // core
  redeemCode: { counters: ['redeem-code'] },
  redeemOnPage: { counters: ['redeem-code'] },
  requestInvite: { counters: ['invite-answer', 'invite-ticket'] },
  requestContact: { counters: ['contact-request', 'contact-mail', 'contact-domain'] },
  resendOtp: { counters: ['contact-mail', 'contact-domain'] },
  verifyOtp: {
    rule: 'five wrong codes end a request',
    proof: {
      file: 'workers/core/test/inbox/codes.test.ts',
      test: 'ends with the fifth wrong attempt, and the request and its address are deleted',
    },
  },
  readRoot: { unguessable: 'a watch token has 256 random bits; a wrong one gets the public response' },
  readPairing: OFFER_OF_OWNER,
  sealPairing: OFFER_OF_OWNER,
  cancelPairing: OFFER,
  lookAtPairing: OFFER,
  joinPairing: OFFER,
  takeSealed: OFFER,
  readAuthorization: OFFER_OF_OWNER,
  grantAuthorization: OFFER_OF_OWNER,
  cancelAuthorization: OFFER,
  lookAtAuthorization: OFFER,
  joinAuthorization: OFFER,
  takeGrant: OFFER,
  openEventSocket: { unguessable: 'a ticket: 256 bits, spent once' },
  initGenesis: SIGNED,
  // pay
  // Twenty of them may be open at once.
  createIntent: { counters: ['createIntent'] },
  cancelIntent: { unguessable: 'the assertion of the owner; a cancelled payment is not charged' },
  concludeCheckout: { openToAll: 'a page of local deployments, absent elsewhere' },
  takeStripeEvent: { unguessable: 'the signature of the provider; an event counts once' },
  redeemEntitlement: { counters: ['redeem-code'] },
  setRenewal: { counters: ['setRenewal'] },
  changePlan: { counters: ['changePlan'] },
  consumeQuota: METER,
  refundQuota: METER,
  adjustQuota: METER,
  // provenance
  verifyBatch: VERIFIED,
  queryText: SEARCH,
  searchSemantic: SEARCH,
  searchFragment: SEARCH,
  searchVideo: SEARCH,
  searchVideoFragment: SEARCH,
}

/** Bounds that hold for another thing than the request: an account, a recipient, a mailbox, a pool. */
export const BOUNDS_OF_THINGS: Readonly<Record<string, Proof>> = {
  'guesses of one password, from any address': {
    file: 'workers/auth/test/opaque/identifier-limit.test.ts',
    test: 'are counted exactly: of seventy at once, sixty need no challenge',
  },
  'known devices of an account': {
    file: 'workers/auth/test/opaque/identifier-limit.test.ts',
    test: 'is forgotten when eight others have signed in since',
  },
  'known devices of an account, of twenty at once': {
    file: 'workers/auth/test/sessions/races.test.ts',
    test: 'sign in by password: eight devices stay known',
  },
  'sessions of an account': { file: 'workers/auth/test/sessions/races.test.ts', test: 'sign in: eight sessions stay' },
  'recoveries by one person': {
    file: 'workers/auth/test/providers/recovery.test.ts',
    test: 'are used once, of twenty at once',
  },
  'registration mail to a mailbox': {
    file: 'workers/auth/test/opaque/addresses.test.ts',
    test: 'is five a day for a mailbox, of twenty at once, whatever the spelling',
  },
  'registration mail of a caller': {
    file: 'workers/auth/test/opaque/addresses.test.ts',
    test: 'is ten an hour for an address of a caller',
  },
  'codes guessed for one registration': {
    file: 'workers/auth/test/opaque/addresses.test.ts',
    test: 'takes five codes, of twenty at once, and then none',
  },
  'accounts from one grant': {
    file: 'workers/auth/test/sessions/races.test.ts',
    test: 'register with one grant: one account comes to be',
  },
  'codes guessed at core': {
    file: 'workers/core/test/licences/licences.test.ts',
    test: 'can be tried exactly ten times in 60 seconds per address, from any location',
  },
  'codes guessed at pay': {
    file: 'workers/pay/test/entitlements/entitlements.test.ts',
    test: 'can be guessed exactly ten times in 60 seconds per address, from any location',
  },
  'contact requests of an address': {
    file: 'workers/core/test/inbox/limits.test.ts',
    test: 'can send exactly five requests in ten minutes, even concurrently',
  },
  'contact requests to a recipient': {
    file: 'workers/core/test/inbox/limits.test.ts',
    test: 'can have exactly thirty open requests, from any number of addresses',
  },
  'codes to a mailbox': {
    file: 'workers/core/test/inbox/limits.test.ts',
    test: 'is sent exactly ten codes in a day, for all recipients and spellings together',
  },
  'codes to a mail domain': {
    file: 'workers/core/test/inbox/limits.test.ts',
    test: 'is sent at most five hundred codes in a day, unless many people have addresses there',
  },
  'codes of one contact request': { file: 'workers/core/test/inbox/codes.test.ts', test: 'is sent twice at most' },
  'answers of a network to the invitation page': {
    file: 'workers/core/test/invites/question-limits.test.ts',
    test: '%s, and answers exactly ten questions in 24 hours, from any location',
  },
  'invitation requests without scripts': {
    file: 'workers/core/test/invites/question-limits.test.ts',
    test: 'leave exactly a hundred requests without scripts in 24 hours, and none fewer with scripts',
  },
  'answers to a ticket of the invitation page': {
    file: 'workers/core/test/invites/question.test.ts',
    test: 'has one answer, even concurrently',
  },
  'subscriptions that are being paid': {
    file: 'workers/pay/test/intents/purchases.test.ts',
    test: 'and twenty requests at once leave one open',
  },
  'changes of a subscription': {
    file: 'workers/pay/test/entitlements/limits.test.ts',
    test: 'is counted exactly at %s: 20 in 60 seconds for an identity, from any location',
  },
  'prekeys that one requester reserves': {
    file: 'workers/keys/test/prekeys/prekeys.test.ts',
    test: 'let one requester take 64 prekeys of an account in a day',
  },
}
