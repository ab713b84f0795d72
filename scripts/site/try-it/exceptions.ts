/**
 * Operations that nobody calls by hand: what the page says instead.
 *
 * @module
 */
import type { ShownOperation } from '@svc/service/markdown'

const A_TEXT = 'text-264398acf613d59fbbd68d3704392363'

/** Acts of the operator, which a command signs. By service and operation. */
const OPERATOR: Readonly<Record<string, string>> = {
  'consent readDisputes': 'scripts/admin disputes list',
  'consent takeOperatorAct': 'scripts/admin settle-consent my-pictures/lighthouse $(scripts/assertion --did) mistake',
  'core readInvites': 'scripts/admin invites list',
  'core readTakedowns': 'scripts/admin takedowns list core',
  'core takeOperatorAct': 'scripts/admin reindex-chain $(scripts/assertion --did)',
  'did takeOperatorAct': 'scripts/admin rebuild memberships all now',
  'keys takeOperatorAct': 'scripts/admin open-epoch 1 1',
  'pay listDeadLetters': 'scripts/admin dead-letters',
  'pay listGrants': 'scripts/admin grants list $(scripts/assertion --did)',
  'pay takeOperatorAct': 'scripts/admin code provenance 30',
  'provenance listTextsOfRegistrant': `scripts/admin texts list ${A_TEXT}`,
  'provenance readTakedowns': 'scripts/admin takedowns list provenance',
  'provenance takeOperatorAct': 'scripts/admin reindex text',
}

const PASSKEY = 'A passkey needs a browser: [Sign-in](/developer/auth) shows how a page creates and uses one.'
const PROVIDER =
  'A browser follows this redirect, on a deployment with an identity provider: [Sign-in](/developer/auth) has the flow.'
const CHECKOUT =
  'For the browser of the payer: open the `checkoutUrl` of a payment. Deployments with Stripe do not have it.'
const MODELS =
  '`client.provenance.model(artefact)` loads an artefact of the manifest and verifies it. A local start has none until you ' +
  'put it into the folder `models` of its state.'

const FEED =
  'Mirrors read this in bulk: `scripts/mirror` follows a deployment. See [Mirrors](/developer/mirror#the-feed).'

const TILES = 'Verifiers read these to compute roots and proofs themselves. See [Tiles](/developer/keys#tiles).'

const REASONS: Readonly<Record<string, string>> = {
  'auth authenticatePasskey': PASSKEY,
  'auth confirmOpaqueRegistration':
    '`register` returns `confirm` for an address, which takes the code from the mail: [Sign-in](/developer/auth#addresses-are-confirmed-by-mail).',
  'auth finishGoogle': PROVIDER,
  'auth finishMicrosoft': PROVIDER,
  'auth keepPasskeySecret': PASSKEY,
  'auth readPasskeySecret': PASSKEY,
  'auth registerPasskey': PASSKEY,
  'auth removePasskey': PASSKEY,
  'auth removePasskeySecret': PASSKEY,
  'auth renamePasskey': PASSKEY,
  'auth startGoogle': PROVIDER,
  'auth startMicrosoft': PROVIDER,
  'auth verifyTicket': PROVIDER,
  'core cosignAnchorLog': 'A witness sends this, with a key that the operator of the log has listed.',
  'core readAnchorBodies': FEED,
  'core readAnchorEntries': FEED,
  'core readAnchorPublications': FEED,
  'core readLogTile': TILES,
  'core reportPublication': 'The publisher of anchors sends this: `scripts/publish-anchor` signs it.',
  'core requestInvite': 'For people: open `http://localhost:8787/invite-request`, whose form has a bot check.',
  'docs readAsset': 'The pages name these files, whose names change with their content.',
  'keys readLogTile': TILES,
  'keys cosignCheckpoint': 'A witness sends this, with a key that the operator of the log has listed.',
  'pay concludeCheckout': CHECKOUT,
  'pay showCheckout': CHECKOUT,
  'pay takeStripeEvent': 'Stripe sends this, signed with the secret of the webhook.',
  'provenance readModel': MODELS,
  'provenance readModelHead': MODELS,
  'provenance readRuntime': 'Browsers load these files with the models; the address has the version of the runtime.',
  'provenance readRuntimeHead':
    'Browsers load these files with the models; the address has the version of the runtime.',
}

/** The reason why an operation has no code to run; undefined if it has some. */
export function withoutTrial(service: string, { operation }: ShownOperation): string | undefined {
  return REASONS[`${service} ${operation.operationId}`]
}

/** The command of the operator that sends it; undefined for an operation of everybody. */
export function operatorCommand(service: string, { operation }: ShownOperation): string | undefined {
  return OPERATOR[`${service} ${operation.operationId}`]
}

/** The keys of both tables, for the test that each is an operation. */
export const EXCEPTIONS: readonly string[] = [...Object.keys(OPERATOR), ...Object.keys(REASONS)]
