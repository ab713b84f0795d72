import { mlDsa65 } from '@svc/pqc'
import { AI_PREF_DRAFT } from '@svc/protocol/consent/ai-pref'
import { aiConsentSchema, tdmRepSchema } from '@svc/protocol/consent/discovery'
import { defineOperation, livenessRoute, objectCommitsRoute } from '@svc/service'
import { cachedAnswer, NOT_MODIFIED } from '../consent/cached-answer.ts'
import { CONSENT_DESCRIPTION, consentRoute } from '../service.ts'

/** How long discovery documents may be cached. */
const ROBOTS_SECONDS = 86_400
const WELL_KNOWN_SECONDS = 3_600
/** A convention, not a standard; it concerns training. */
const NOAI = { 'x-robots-tag': 'noai' }
const NOAI_HEADER = { 'X-Robots-Tag': '`noai`' }
const UNCHANGED = { ...NOT_MODIFIED, headers: NOAI_HEADER }

export const readRobots = defineOperation({
  id: 'readRobots',
  method: 'get',
  path: '/robots.txt',
  summary: 'Crawler directives',
  description:
    'Allows every crawler. A comment names the address where declared preferences are, and says that content without ' +
    'one is opted out by policy of this service. May be cached for a day; If-None-Match is supported.',
  auth: 'none',
  answer: { status: 200, description: 'Directives', headers: NOAI_HEADER, contentType: 'text/plain' },
  otherAnswers: [{ ...UNCHANGED, contentType: 'text/plain' }],
})

export const readAiConsent = defineOperation({
  id: 'readAiConsent',
  method: 'get',
  path: '/.well-known/ai-consent',
  summary: 'Describe this service and its preferences',
  description:
    'Where to look preferences up, what the tokens in `X-Svc-Consent` mean, and what is answered where nothing is ' +
    'declared. `snapshot_key_b64u` verifies snapshots; keep it, and do not trust a snapshot that another key signed. ' +
    'The path is a convention of this service, not a standard. May be cached for an hour.',
  auth: 'none',
  answer: {
    status: 200,
    description: 'The discovery document',
    headers: NOAI_HEADER,
    schema: aiConsentSchema,
    bare: true,
  },
  otherAnswers: [UNCHANGED],
})

export const readTdmRep = defineOperation({
  id: 'readTdmRep',
  method: 'get',
  path: '/.well-known/tdmrep.json',
  summary: 'TDM reservation of this site',
  description: 'Has no `tdm-policy` until a conforming one is published.',
  auth: 'none',
  answer: { status: 200, description: 'Rules', headers: NOAI_HEADER, schema: tdmRepSchema, bare: true },
  otherAnswers: [UNCHANGED],
})

const robotsText = (
  origin: string,
) => `# AI use: content without a declared preference is opt-out by policy of this service.
# Declared preferences: ${origin}/.well-known/ai-consent
# noai
User-agent: *
Allow: /
`

export const discoveryRoutes = [
  livenessRoute('consent', CONSENT_DESCRIPTION.version, mlDsa65.backend),
  objectCommitsRoute('consent'),
  consentRoute(readRobots, ({ headers, deps }) => {
    const body = robotsText(deps.config.PUBLIC_ORIGINS[0] ?? '')
    return cachedAnswer(headers, { body, maxAgeSeconds: ROBOTS_SECONDS, headers: NOAI, contentType: 'text/plain' })
  }),
  consentRoute(readAiConsent, async ({ headers, deps, now }) => {
    const described = describe(deps.config.PUBLIC_ORIGINS[0] ?? '', await deps.snapshots.publicKey(now))
    return cachedAnswer(headers, { body: JSON.stringify(described), maxAgeSeconds: WELL_KNOWN_SECONDS, headers: NOAI })
  }),
  consentRoute(readTdmRep, ({ headers }) => {
    const body = JSON.stringify([{ location: '/', 'tdm-reservation': 1 }])
    return cachedAnswer(headers, { body, maxAgeSeconds: WELL_KNOWN_SECONDS, headers: NOAI })
  }),
]

function describe(origin: string, snapshotKeyB64u: string | null) {
  const records = `${origin}/api/v1/consent`
  return {
    service: 'consent',
    version: CONSENT_DESCRIPTION.version,
    vocabulary: {
      draft: AI_PREF_DRAFT,
      tokens: { 'train-ai': 'preferences.ai_training', search: 'preferences.search' },
      header: 'X-Svc-Consent',
      example: 'train-ai=n, search=y',
    },
    default: {
      policy: 'opt-out',
      source: 'default',
      statement: 'Where no preference is declared this service answers opt-out, as its own policy and without a token.',
    },
    endpoints: {
      verification: `${records}/{hash}`,
      history: `${records}/{hash}/history`,
      batch: `${records}/batch`,
      by_creator: `${records}/by-creator/{did}`,
      opt_out: `${origin}/api/v1/partner/opt-out?hash={hash}`,
      snapshot: `${records}/snapshot`,
    },
    snapshot_key_b64u: snapshotKeyB64u,
    conventions: ['/.well-known/ai-consent', 'comment in /robots.txt', 'X-Robots-Tag: noai'],
    evidence: 'Preferences are evidence, not enforcement, and create no legal rights by themselves.',
  }
}
