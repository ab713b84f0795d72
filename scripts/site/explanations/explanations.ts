/**
 * Where the operations of a group are explained: the page of the protocol that has their rules, and the concept that says
 * what they are for.
 *
 * @module
 */
interface Explanation {
  /** Slugs of developer pages. */
  readonly pages: readonly string[]
  readonly concepts: readonly string[]
}

const on = (pages: readonly string[], ...concepts: readonly string[]): Explanation => ({
  pages,
  concepts: concepts.map((name) => `concept-${name}`),
})

/** By service and tag of its OpenAPI document. */
export const EXPLANATIONS: Readonly<Record<string, Readonly<Record<string, Explanation>>>> = {
  auth: {
    service: on(['auth', 'discovery']),
    auth: on(['auth']),
  },
  consent: {
    service: on(['consent', 'discovery']),
    consent: on(['consent'], 'consent'),
    partner: on(['consent'], 'consent'),
    operator: on(['consent', 'operating']),
  },
  core: {
    service: on(['core', 'discovery']),
    genesis: on(['identity', 'chain'], 'identity'),
    chain: on(['chain', 'rotation', 'identity'], 'signatures', 'rotation'),
    sync: on(['chain'], 'identity'),
    security: on(['security'], 'rotation'),
    events: on(['events', 'event-hooks'], 'trust'),
    inception: on(['devices', 'organizations'], 'devices', 'organizations'),
    pair: on(['pairing'], 'devices'),
    authorize: on(['pairing'], 'devices'),
    notes: on(['notes'], 'notes'),
    logs: on(['anchors', 'log-list'], 'anchors', 'trust'),
    anchors: on(['anchors', 'mirror'], 'anchors'),
    assets: on(['assets'], 'assets'),
    governance: on(['governance'], 'trust'),
    ipfs: on(['content'], 'assets'),
    activation: on(['account']),
    user: on(['account']),
    'invite-request': on(['account']),
    inbox: on(['inbox'], 'inbox'),
    pqc: on(['core'], 'signatures'),
    headers: on(['notes'], 'notes'),
    operator: on(['operating']),
    takedowns: on(['content']),
  },
  did: {
    service: on(['did', 'discovery']),
    register: on(['did'], 'identity'),
    identifiers: on(['did'], 'identity'),
    rotation: on(['rotation'], 'rotation'),
    org: on(['organizations'], 'organizations'),
    operator: on(['organizations', 'operating']),
  },
  docs: {
    service: on(['docs', 'discovery']),
    developer: on(['docs']),
    academic: on(['docs']),
    sdk: on(['docs', 'sdk']),
    changelog: on(['docs', 'changelog']),
  },
  keys: {
    service: on(['keys', 'discovery']),
    'key-directory': on(['keys'], 'key-directory'),
    transparency: on(['keys', 'beacon', 'mirror'], 'key-directory', 'trust'),
    guardian: on(['guardians'], 'key-directory'),
    epoch: on(['keys'], 'key-directory'),
    operator: on(['keys', 'operating']),
    prekeys: on(['keys'], 'key-directory'),
  },
  pay: {
    service: on(['pay', 'discovery']),
    pay: on(['pay']),
    entitlement: on(['pay']),
    quota: on(['pay']),
    operator: on(['pay', 'operating']),
  },
  provenance: {
    service: on(['provenance', 'discovery']),
    anchor: on(['provenance'], 'anchors'),
    verify: on(['provenance'], 'signatures'),
    register: on(['provenance', 'search'], 'signatures', 'search'),
    text: on(['search'], 'search'),
    query: on(['search'], 'search'),
    search: on(['search'], 'search'),
    keypoints: on(['search'], 'search'),
    models: on(['search'], 'search'),
    ort: on(['search'], 'search'),
    operator: on(['search', 'operating']),
    takedowns: on(['search']),
    capsule: on(['provenance'], 'signatures'),
    commitment: on(['provenance'], 'signatures'),
    provenance: on(['provenance'], 'signatures'),
  },
}

/** The guides, by what they use: a service and a group of its operations. */
export const GUIDES: Readonly<Record<string, readonly string[]>> = {
  'prove-what-you-made': [
    'core chain',
    'core anchors',
    'provenance register',
    'provenance text',
    'provenance query',
    'provenance capsule',
    'provenance commitment',
    'provenance provenance',
  ],
  'verify-offline': ['core chain', 'core anchors', 'core assets', 'core logs', 'provenance provenance'],
  'declare-ai-use': ['consent consent'],
  'notes-on-two-devices': ['core notes', 'core pair', 'core inception'],
  'receive-messages': ['core inbox', 'core assets'],
  'rotate-or-lose-a-key': ['core chain', 'core security', 'did rotation'],
  'organization-officers': ['core inception', 'did org'],
  'add-sign-in': ['auth auth'],
  'run-it-for-others': ['core operator', 'provenance operator', 'consent operator', 'keys operator', 'pay operator'],
  'charge-for-it': ['pay pay', 'pay entitlement', 'pay quota'],
}

/** Pages of the protocol that have no operation of their own, and why. */
export const WITHOUT_API: Readonly<Record<string, string>> = {
  assertions: 'a header of most operations',
  'fingerprint-rules': 'computed by the client',
  internal: 'between the services',
  statements: 'the form of what operations take',
  successors: 'members of what rotation, genesis and deactivation take',
  vectors: 'to test a client',
}

/** The line of a reference that leads to the explanations of these groups. `titles` are those of the pages, by slug. */
export function explainedLine(service: string, tags: readonly string[], titles: ReadonlyMap<string, string>): string {
  const found = tags.flatMap((tag) => EXPLANATIONS[service]?.[tag] ?? [])
  const links = (slugs: readonly string[]) =>
    [...new Set(slugs)].flatMap((slug) => (titles.has(slug) ? [`[${titles.get(slug)}](/developer/${slug})`] : []))
  const pages = links(found.flatMap((one) => one.pages))
  const concepts = links(found.flatMap((one) => one.concepts))
  const guides = links(
    Object.keys(GUIDES).filter((slug) => tags.some((tag) => GUIDES[slug]?.includes(`${service} ${tag}`))),
  )
  if (pages.length === 0) return ''
  const about = concepts.length === 0 ? '' : ` Concepts: ${concepts.join(', ')}.`
  const tasks = guides.length === 0 ? '' : ` Guides: ${guides.join(', ')}.`
  return `Explained on ${listed(pages)}.${about}${tasks}`
}

function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}
