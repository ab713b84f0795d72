/** Groups of operations, in generated clients and references. One that means something else on a service names it too. */
const TAGS: Readonly<Record<string, string>> = {
  service: 'The service itself: health, version, capabilities, keys and files',
  // Core
  genesis: 'Create an identity',
  chain: 'An identity’s signed chain, and the rotation of its root key',
  sync: 'Whether the server has records of the caller',
  security: 'Security holds, which freeze an identity at once',
  events: 'What happened to the caller’s identity, in order',
  inception: 'The devices of an identity and the officers of an organization, in a signed log',
  pair: 'Give a second device the keys of an identity',
  authorize: 'Authorize a device with a key of its own',
  notes: 'Encrypted notes, their versions and attachments',
  logs: 'The signed list of the deployment’s logs',
  anchors: 'Record the state of a chain in a public log, with proofs',
  assets: 'Assets and their transfers',
  governance: 'Who decides for the deployment: policies, and their signatures',
  ipfs: 'Files by their IPFS content identifier (CID), and pins that keep them',
  activation: 'Redeem an activation code',
  user: 'The tier of the caller',
  'invite-request': 'Ask the operator for an invitation',
  inbox: 'Contact requests to the owner of an asset, and the owner’s inbox',
  pqc: 'Verify one ML-DSA-65 signature, without an identity',
  headers: 'The digest of the header of a note',
  operator: 'For the operator of the deployment: signed acts and lists',
  takedowns: 'What was taken down, and why',
  // Consent
  consent: 'How AI may use content, by its identifier',
  partner: 'Whether a work is opted out of AI training, in a short answer',
  // DID
  'did register': 'Register the key agreement and the services of a DID',
  identifiers: 'Resolution of a DID, now or at a version or time',
  rotation: 'Request the rotation of a root key, and report that it took place',
  org: 'Members and officers of organizations',
  // Documentation
  developer: 'Pages for developers',
  academic: 'Pages about the protocol',
  sdk: 'The reference of the SDK',
  changelog: 'What changed, as a feed for readers of news',
  // Keys
  'key-directory': 'Key packages of devices: publish, read, revoke, and reserve prekeys',
  transparency: 'The public log of every change in the directory, with proofs',
  guardian: 'Guardians of an identity, and what they attest',
  epoch: 'Periods that identities join and acknowledge',
  prekeys: 'Prekeys of an earlier system',
  // Sign-in
  auth: 'Sign-in by password, passkey or provider',
  // Pay
  pay: 'Offers, payments and the payment provider’s events',
  entitlement: 'The tier of an identity: what gives it, codes, and changes of a subscription',
  quota: 'What an identity has used in this month, and how much it may',
  // Provenance
  'provenance register': 'Register an image, a video or a text',
  anchor: 'The ledgers that records are published to',
  verify: 'Verify signatures, one or many',
  text: 'Registered texts',
  query: 'Find registered texts that share passages',
  search: 'Find similar images, videos and texts',
  keypoints: 'Keypoints of images and videos: upload, list, read and delete',
  models: 'Models that compute fingerprints on the device',
  ort: 'The runtime that runs the models in a browser',
  capsule: 'Signed registrations, called capsules: read and delete them',
  commitment: 'Commit to content before you publish it, by a salted hash',
  provenance: 'The evidence for a registration',
}

export const tagDescription = (service: string, tag: string): string => TAGS[`${service} ${tag}`] ?? TAGS[tag] ?? ''

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
