/** The schema that each JSON example of the pages keeps to, by the name of the example. */

import { syncStatusSchema } from '@svc/protocol/chain/api'
import * as discovery from '@svc/protocol/http/discovery'
import { discoveryDocumentSchema } from '@svc/protocol/http/discovery-document'
import * as envelope from '@svc/protocol/http/envelope'
import * as health from '@svc/protocol/http/health'
import * as internalChain from '@svc/protocol/internal/chain'
import * as internal from '@svc/protocol/internal/core'
import * as internalStorage from '@svc/protocol/internal/storage'
import * as operator from '@svc/protocol/operator/acts'
import { invitePageSchema } from '@svc/protocol/operator/invites'
import * as reads from '@svc/protocol/operator/reads'
import { signedMessageSchema } from '@svc/protocol/statements/message'
import * as z from 'zod'
import { CONSENT_SCHEMAS } from './consent-schemas.ts'
import { EVENT_SCHEMAS } from './event-schemas.ts'
import { IDENTITY_SCHEMAS } from './identity-schemas.ts'
import { INBOX_SCHEMAS } from './inbox-schemas.ts'
import { KEY_DIRECTORY_SCHEMAS } from './key-directory-schemas.ts'
import { LEDGER_SCHEMAS } from './ledger-schemas.ts'
import { NOTE_SCHEMAS } from './note-schemas.ts'
import { PAY_SCHEMAS } from './pay-schemas.ts'
import { PROVENANCE_SCHEMAS } from './provenance-schemas.ts'
import { SIGN_IN_SCHEMAS } from './sign-in-schemas.ts'

const { envelopeOf } = envelope
const url = z.url()
/** Of a line of the log. */
const LINE = { service: z.string(), requestId: z.uuid(), reason: z.string() }

/** Those of errors, of health, and of what services tell each other, beside those of each subject. */
export const SCHEMAS: Record<string, z.ZodType> = {
  ...CONSENT_SCHEMAS,
  ...EVENT_SCHEMAS,
  ...IDENTITY_SCHEMAS,
  ...INBOX_SCHEMAS,
  ...KEY_DIRECTORY_SCHEMAS,
  ...LEDGER_SCHEMAS,
  ...NOTE_SCHEMAS,
  ...PAY_SCHEMAS,
  ...PROVENANCE_SCHEMAS,
  ...SIGN_IN_SCHEMAS,
  'discovery-document': discoveryDocumentSchema,
  'bound-block': internalChain.bindAnswerSchema,
  'stored-amounts': internalStorage.storedAmountsSchema,
  'auth-health': health.signInHealthSchema,
  'auth-not-found': envelope.errorEnvelopeSchema,
  authority: internal.authoritySchema,
  'inception-event-known': internal.inceptionEventKnownSchema,
  'consent-health': health.livenessSchema,
  'consume-nonce': internal.consumeNonceSchema,
  'core-banner': envelopeOf(discovery.bannerSchema),
  'core-capabilities': discovery.capabilitiesSchema,
  'core-health': envelopeOf(discovery.healthDataSchema),
  'core-meta': envelopeOf(discovery.metaDataSchema),
  'core-version': discovery.versionDataSchema,
  'cors-denied': envelope.errorEnvelopeSchema,
  'did-clock': envelope.didErrorSchema,
  'did-error': envelope.didErrorSchema,
  'did-health': z.looseObject({ status: z.literal('ok'), service: z.literal('did'), method: z.literal('did:svc') }),
  'did-resolver': z.looseObject({
    '@context': z.array(url),
    service: z.array(z.looseObject({ serviceEndpoint: url })),
  }),
  'docs-health': health.livenessSchema,
  'emergency-refusal': envelope.tierErrorSchema,
  'error-envelope': envelope.errorEnvelopeSchema,
  'internal-health': internal.internalHealthSchema,
  'key-scope': internal.keyScopeSchema,
  'alarm-line': z.strictObject({ ...LINE, alarm: z.string(), subject: z.string() }),
  'delay-line': z.looseObject({ ...LINE, delayed: z.string() }),
  queues: health.queuesSchema,
  'log-line': z.looseObject({ requestId: z.uuid(), route: z.string(), status: z.int(), milliseconds: z.int() }),
  'nonce-consumed': internal.consumedSchema,
  'operator-act': operator.operatorActSchema,
  'operator-act-answer': envelopeOf(operator.operatorActAnswerSchema),
  'officers-record': internal.officersRecordSchema,
  message: signedMessageSchema,
  invites: envelopeOf(invitePageSchema),
  'invite-act': operator.operatorActSchema,
  'operator-takedowns': envelopeOf(reads.operatorTakedownPageSchema),
  'object-commits': health.objectCommitsSchema,
  'previous-key': internal.authoritySchema.shape.previousKeys.element,
  'refusal-clock': envelope.errorEnvelopeSchema,
  'refusal-did': envelope.didErrorSchema,
  'refusal-unauthorized': envelope.errorEnvelopeSchema,
  'root-key-version': internal.rootKeyVersionSchema,
  'route-refusal': envelope.structuredErrorSchema,
  'sibling-error': envelope.errorEnvelopeSchema,
  'stale-inception-head': envelope.errorEnvelopeSchema,
  'stale-head': envelope.errorEnvelopeSchema,
  'structured-error': envelope.structuredErrorSchema,
  'too-many-items': envelope.structuredErrorSchema,
  'sync-status': envelopeOf(syncStatusSchema),
  'tier-refusal': envelope.tierErrorSchema,
  vectors: z.record(z.string(), z.string()),
}
