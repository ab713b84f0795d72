export interface Group {
  readonly title: string
  readonly section: 'developer' | 'academic'
  readonly slugs: readonly string[]
  /** Pages that another tool makes, ahead of the others. */
  readonly generated?: readonly { readonly path: string; readonly title: string }[]
}

/** Pages of values and generated rows: few of their words are for reading. */
export const PAGES_OF_VALUES: readonly string[] = ['vectors', 'fingerprint-rules', 'lies']

/** The table of contents: lists every page once, in reading order for a newcomer. */
export const CONTENTS: readonly Group[] = [
  { title: 'Start', section: 'developer', slugs: ['quickstart', 'first-client'] },
  {
    title: 'Guides',
    section: 'developer',
    slugs: [
      'prove-what-you-made',
      'verify-offline',
      'declare-ai-use',
      'notes-on-two-devices',
      'receive-messages',
      'rotate-or-lose-a-key',
      'organization-officers',
      'add-sign-in',
      'run-it-for-others',
      'charge-for-it',
    ],
  },
  {
    title: 'Concepts',
    section: 'developer',
    slugs: [
      'concept-identity',
      'concept-signatures',
      'concept-devices',
      'concept-rotation',
      'concept-notes',
      'concept-inbox',
      'concept-anchors',
      'concept-assets',
      'concept-search',
      'concept-consent',
      'concept-key-directory',
      'concept-organizations',
      'concept-trust',
      'glossary',
    ],
  },
  {
    title: 'API reference',
    section: 'developer',
    slugs: [
      'api-core',
      'api-provenance',
      'api-consent',
      'api-did',
      'api-keys',
      'api-auth',
      'api-pay',
      'api-docs',
      'errors',
      'error-shapes',
      'limits',
      'origins',
      'discovery',
    ],
  },
  {
    title: 'SDK',
    section: 'developer',
    generated: [{ path: '/sdk', title: 'SDK reference' }],
    slugs: [
      'sdk',
      'sdk-memory',
      'sdk-sizes',
      'cli',
      'cli-results',
      'console',
      'signers',
      'backup',
      'verification',
      'lies',
      'fingerprint',
      'image-fingerprint',
    ],
  },
  {
    title: 'Protocol: identities',
    section: 'developer',
    slugs: [
      'identity',
      'assertions',
      'statements',
      'chain',
      'devices',
      'pairing',
      'rotation',
      'successors',
      'security',
      'events',
      'event-hooks',
    ],
  },
  {
    title: 'Protocol: services',
    section: 'developer',
    slugs: [
      'core',
      'notes',
      'inbox',
      'anchors',
      'assets',
      'governance',
      'content',
      'account',
      'provenance',
      'search',
      'consent',
      'did',
      'organizations',
      'keys',
      'guardians',
      'log-list',
      'beacon',
      'mirror',
      'auth',
      'pay',
      'docs',
    ],
  },
  { title: 'Protocol: details', section: 'developer', slugs: ['vectors', 'fingerprint-rules', 'internal'] },
  {
    title: 'Operate',
    section: 'developer',
    slugs: [
      'operating',
      'deploying',
      'observing',
      'supply-chain',
      'log-rolls',
      'restore',
      'measuring',
      'peers',
      'cost',
      'platform-limits',
      'retention',
      'deletion',
    ],
  },
  {
    title: 'Academic',
    section: 'academic',
    slugs: ['overview', 'protocol', 'threat-model', 'comparison', 'references'],
  },
  {
    title: 'Project',
    section: 'developer',
    slugs: ['status', 'versioning', 'changelog', 'security-policy'],
  },
]

interface Placed {
  readonly section: string
  readonly slug: string
  /** The slug of the page that lists this one. */
  readonly parent?: string
}

/** The title of the group that lists a page, or the page that lists it. */
export function groupOf({ section, slug, parent }: Placed): string {
  return CONTENTS.find((group) => group.section === section && group.slugs.includes(parent ?? slug))?.title ?? ''
}

/** Throws if a page is missing in `CONTENTS`, listed twice, or listed without a file. */
export function checkContents(pages: readonly Placed[]): void {
  const paths = pages.filter(({ parent }) => parent === undefined).map(({ section, slug }) => `${section}/${slug}`)
  const placed = CONTENTS.flatMap(({ section, slugs }) => slugs.map((slug) => `${section}/${slug}`))
  const missing = paths.filter((path) => !placed.includes(path))
  const stale = placed.filter((path, at) => !paths.includes(path) || placed.indexOf(path) !== at)
  if (missing.length > 0) throw new Error(`not in scripts/site/contents.ts: ${missing.join(', ')}`)
  if (stale.length > 0) throw new Error(`in scripts/site/contents.ts, but not exactly one page: ${stale.join(', ')}`)
}
