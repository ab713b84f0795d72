/** Groups of operations, in generated clients and references. */
export const TAGS: Readonly<Record<string, string>> = {
  service: 'Descriptions, health, keys and files of the service itself',
  // Core
  genesis: 'Create an identity',
  chain: 'An identity’s signed chain, and the rotation of its root key',
  sync: 'Whether the server has records of the caller',
  security: 'Security holds, which freeze an identity at once',
  events: 'What happened to the caller’s identity, in order',
  inception: 'The signed log of an identity’s devices',
  pair: 'Give a second device the keys of an identity',
  authorize: 'Authorize a device with a key of its own',
  notes: 'Encrypted notes, their versions and attachments',
  logs: 'The signed list of the deployment’s logs',
  anchors: 'Roots in the anchor log, with proofs',
  assets: 'Assets and their transfers',
  governance: 'Policies of the deployment, with their attestations',
  ipfs: 'Pinned content, and content by its CID',
  activation: 'Redeem an activation code',
  user: 'The tier of the caller',
  'invite-request': 'Ask the operator for an invitation',
  inbox: 'Contact requests to the owner of an asset, and the owner’s inbox',
  pqc: 'Verify a signature without an identity',
  headers: 'Canonical headers of notes',
  operator: 'Signed acts and reads of the deployment’s operator',
  takedowns: 'What was taken down, and why',
  // Consent
  consent: 'How AI may use content, by its identifier',
  partner: 'Opt-outs, for partners that read at scale',
  // DID
  register: 'Registration of a DID, or at provenance of an image, video or text',
  identifiers: 'Resolution of a DID, now or at a version or time',
  rotation: 'Rotations of a root key, as their owner reports them',
  org: 'Members and officers of organizations',
  // Documentation
  developer: 'Pages for developers',
  academic: 'Pages about the protocol',
  sdk: 'The reference of the SDK',
  changelog: 'What changed, as a feed for readers of news',
  // Keys
  'key-directory': 'Key packages of devices',
  transparency: 'The log of key packages, with proofs',
  guardian: 'Guardians of an identity, and what they attest',
  epoch: 'Key epochs of a group',
  prekeys: 'Prekeys of an earlier system',
  // Sign-in
  auth: 'Sign-in by password, passkey or provider',
  'sign-in': 'The sign-in page',
  // Pay
  pay: 'Offers, payments and the payment provider’s events',
  entitlement: 'The tier of an identity, and codes',
  quota: 'Meters of an identity',
  // Provenance
  anchor: 'What is published to ledgers',
  verify: 'Verify signatures, one or many',
  text: 'Registered texts',
  query: 'Find registered texts that share passages',
  search: 'Find similar images, videos and texts',
  keypoints: 'Keypoints of registered images and videos',
  models: 'Models for fingerprints on the device',
  ort: 'The runtime of the models',
  capsule: 'Signed capsules of registered content',
  commitment: 'Salted hashes, before the content is published',
  provenance: 'The evidence for a registration',
}

/** Parts of a path that say nothing about what it is for. */
const PREFIX = /^\/(?:api\/)?(?:v1\/|1\.0\/)?/
const SUFFIX = /\.(?:css|js|json|md|html|txt|xml)$/
/** What every service has, and files about a host. */
const SERVICE = new Set(
  '|health|version|capabilities|meta|.well-known|openapi|docs|index|robots|llms|llms-full|sitemap'.split('|'),
)

/** The group of an operation: `chain` for `/api/chain/head`. */
export function tagOf(path: string): string {
  const [first = ''] = path.replace(PREFIX, '').split('/')
  const name = first.replace(SUFFIX, '')
  return SERVICE.has(name) || name.startsWith('{') || path.startsWith('/assets/') ? 'service' : name
}
