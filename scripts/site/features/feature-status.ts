/**
 * How far each feature is. The table of the page on status is generated from this, and a page can show its own word.
 * `workers/docs/pages/developer/versioning.md` says what the words promise.
 *
 * @module
 */
export type StatusWord = 'stable' | 'beta' | 'experimental'

export interface Feature {
  readonly name: string
  /** The page about it. Of several features on a page, the first is the page's own. */
  readonly page: string
  readonly status: StatusWord
  /** What the next word takes; null for a stable feature. */
  readonly missing: string | null
}

const VALUES = 'values on the page Vectors'
const CLIENT = 'an independent test'

const stable = (page: string, name: string): Feature => ({ name, page, status: 'stable', missing: null })
const beta = (page: string, name: string, missing: string): Feature => ({ name, page, status: 'beta', missing })
const experimental = (page: string, name: string, missing: string): Feature => ({
  name,
  page,
  status: 'experimental',
  missing,
})

/** In the order of the contents. */
export const FEATURES: readonly Feature[] = [
  stable('identity', 'Identities: key pair, DID, names'),
  stable('assertions', 'Assertions of root keys (version 1)'),
  beta('assertions', 'Assertions of device keys (version 2)', VALUES),
  stable('statements', 'Signed statements: envelope, canonical form, realm'),
  stable('chain', 'Chains of signed blocks'),
  beta('devices', 'Devices and the inception log', CLIENT),
  beta('pairing', 'Pairing, and the authorization relay', CLIENT),
  beta(
    'successors',
    'Successors that an identity has committed to',
    `${CLIENT}, and a review of its rules by somebody else`,
  ),
  beta('rotation', 'Rotation of the root key (version 2)', `${CLIENT}, and a review of its rules by somebody else`),
  beta('security', 'Security hold', CLIENT),
  beta('events', 'Event feed', CLIENT),
  experimental('event-hooks', 'Web hooks', 'a receiver that uses no code of the SDK'),
  beta('core', 'Core: key history, root keys, verification of signatures', CLIENT),
  beta('notes', 'Encrypted notes', `${CLIENT} of writing; one reads a note`),
  beta('inbox', 'Inbox and contact requests', 'a run with mail that is delivered'),
  beta('anchors', 'Anchors: logs, proofs, bundles', CLIENT),
  experimental('anchors', 'Publication of anchors to ledgers', 'a publisher; the platform only stores its reports'),
  beta('assets', 'Asset records', CLIENT),
  beta('governance', 'Governance policies', CLIENT),
  experimental('content', 'Content by CID, and pins', 'a run against a public gateway and an outside pinning service'),
  beta('account', 'Codes, licences, invitations', 'a run with Turnstile’s real widget'),
  beta('provenance', 'Capsules, commitments, proof bundles', CLIENT),
  experimental('provenance', 'Ledgers of registrations', 'automatic publication; it is off'),
  beta('search', 'Similarity search for texts', 'figures from Vectorize; tests use the embedded index and a stand-in'),
  experimental(
    'image-fingerprint',
    'Image fingerprints, and finding copies of images and videos by them',
    'measurements on photographs at scale',
  ),
  experimental('search', 'Search for images by the vectors of a model', 'a model with measured quality'),
  stable('consent', 'Preferences about AI use: declare, revoke, read, verify'),
  beta('consent', 'Batches, snapshots, competing claims', CLIENT),
  stable('did', 'Registration and resolution of did:svc'),
  beta('organizations', 'Organizations: officers, members, licences', CLIENT),
  beta(
    'keys',
    'Key directory: packages, prekeys, transparency log',
    'a map of accounts, so that the log proves the newest',
  ),
  experimental('guardians', 'Guardian attestations', 'something that acts on them; they are bookkeeping'),
  experimental('keys', 'Epochs', 'something that acts on them; they are bookkeeping'),
  experimental('log-list', 'Signed list of logs and keys', 'a list that a deployment has signed offline'),
  experimental('beacon', 'Beacon', 'a public witness that cosigns it'),
  experimental(
    'mirror',
    'Mirrors, and a feed to follow',
    'the map of accounts and the publisher’s reports in the feed',
  ),
  beta('auth', 'Sign-in by password, passkey, Google, Microsoft', 'a run against Google and Microsoft themselves'),
  beta('pay', 'Offers, payments, entitlements, quota', 'a run against Stripe’s test mode'),
  experimental('pay', 'Leases that services hold', 'a version that issues them; only the form is fixed'),
  beta('docs', 'Documentation host', 'a release'),
  stable('vectors', 'Test vectors'),
  stable('fingerprint-rules', 'Vectors of texts'),
  experimental(
    'internal',
    'Routes between the services',
    'nothing: they are for the services of one deployment, and change with them',
  ),
  stable('errors', 'Error names and shapes'),
  beta('limits', 'Limits and tiers', 'figures from a deployment under real load'),
  beta('discovery', 'Discovery document', CLIENT),
  beta('sdk', 'SDK', 'a published package'),
  beta('signers', 'Keys outside of the program', 'a run with a KMS'),
  beta('backup', 'Backup format', 'a second implementation'),
  beta('verification', 'One error for everything that does not verify', 'a published package'),
  beta('lies', 'What the SDK finds of services that lie', 'a published package'),
  beta('fingerprint', 'Fingerprints of texts in the SDK', 'a published package'),
  beta('operating', 'Local start, variables, secrets, operator acts', 'a release'),
  beta(
    'deploying',
    'Provisioning, deployment, rollback',
    'a published report of a deployment; tests use a stand-in for Cloudflare',
  ),
  beta('observing', 'Metrics, objectives, alerts', 'a run against Analytics Engine'),
  beta('measuring', 'Benchmarks, and kills under load', 'a run against a deployment'),
  beta('cost', 'Cost of each operation, counted', 'the bill of a deployment'),
  beta('platform-limits', 'Limits of Cloudflare, and the margin', 'a deployment under real load'),
]

/** The status of the page at a path; null for a page that is about no feature, such as a guide. */
export function statusOfPage(path: string): StatusWord | null {
  return FEATURES.find(({ page }) => path === `/developer/${page}`)?.status ?? null
}
