import { publicKeySchema } from '@svc/protocol/base/identity'
import { CONTEST_MS, STANDING_MS } from '@svc/protocol/chain/rotation'
import { SIBLING_NAMES } from '@svc/protocol/http/discovery-document'
import { MAX_ANCHOR_WITNESSES } from '@svc/protocol/ledger/cosigned/anchor-cosigned'
import { internalSecretFields, logConfigFields, seedField, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'
import { areOrdered, type Times } from './rotation/rules.ts'

const DAY_SECONDS = 86_400
/** Core accepts two minutes of clock skew. */
export const CORE_SKEW_MS = 120_000
/** How far the clocks of Cloudflare's machines are apart at most. */
export const CLOCKS_MS = 60_000

/** Core's variables. An empty operator key or a missing secret switches off the features that need it. */
export const configSchema = serviceConfigSchema
  .extend({
    DOCS_URL: z.url(),
    /** The canonical origins of the other services, for the discovery document. */
    SERVICES: z.record(z.enum(SIBLING_NAMES), z.url()),
    /** Whether blocks of profile 4 are accepted. */
    CHAIN_V4: z.enum(['on', 'off']),
    /** Whether assertions by device keys are accepted, here and by every sibling through the internal routes. */
    DEVICE_KEYS: z.enum(['on', 'off']),
    /** Whether rotations with a public waiting period instead of an operator's approval are accepted. */
    ROTATION_V2: z.enum(['on', 'off']),
    /** The waiting period in seconds: at least a day. Only a local deployment may have other times than the rest. */
    ROTATION_WINDOW_SECONDS: z.int().min(1),
    /** How long a contested rotation is public, in seconds. */
    ROTATION_CONTEST_SECONDS: z.int().min(1),
    /** How long a device keeps its standing after it was lost, in seconds. */
    ROTATION_STANDING_SECONDS: z.int().min(1),
    OPERATOR_PUBLIC_KEY: z.union([z.literal(''), publicKeySchema]),
    /** Turnstile: the site key of the widget and the secret that verifies its tokens. */
    TURNSTILE_SITE_KEY: z.string().min(1),
    TURNSTILE_SECRET: z.string().optional(),
    /** The sender of one-time codes; '' sends no mail, and contact requests are off. */
    MAIL_FROM: z.union([z.literal(''), z.email()]),
    MAIL_FROM_NAME: z.string().regex(/^[\x20-\x7e]{1,64}$/),
    /** The only gateway that content is fetched from; '' for none. */
    IPFS_GATEWAY: z.union([z.literal(''), z.url()]),
    PINNING_PROVIDER: z.enum(['object-store', 'external-http', 'off']),
    /** Base URL of a service with the IPFS Pinning Service API, for `external-http`. */
    PINNING_ENDPOINT: z.union([z.literal(''), z.url()]),
    PINNING_TOKEN: z.string().optional(),
    /** Verifies the reports of the service that publishes anchors to ledgers. */
    PUBLISHER_PUBLIC_KEY: z.union([z.literal(''), publicKeySchema]),
    /** The witnesses whose cosignatures of the logs of anchors are kept. */
    WITNESS_KEYS: z.array(publicKeySchema).max(MAX_ANCHOR_WITNESSES),
    ...logConfigFields,
    /** Seed of the key that signs receipts of deleted notes and manifests of exports, 64 hex characters. */
    RECEIPT_SEED: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    /** Seed of the keys that encrypt requests for an invitation, 64 hex characters. */
    INVITE_SEED: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    /** The seed before, during a change. */
    INVITE_SEED_PREVIOUS: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    RECORDS_SEED: seedField,
    /** Storage quota of one vault, in bytes of ciphertext. */
    NOTES_QUOTA_BYTES: z.int().min(0),
    ...internalSecretFields,
  })
  .refine(
    ({ ENVIRONMENT, ROTATION_WINDOW_SECONDS }) => ENVIRONMENT === 'local' || ROTATION_WINDOW_SECONDS >= DAY_SECONDS,
    { path: ['ROTATION_WINDOW_SECONDS'] },
  )
  .refine(
    ({ ENVIRONMENT, ROTATION_CONTEST_SECONDS }) =>
      ENVIRONMENT === 'local' || ROTATION_CONTEST_SECONDS * 1000 === CONTEST_MS,
    { path: ['ROTATION_CONTEST_SECONDS'] },
  )
  .refine(
    // Also bounds how long core keeps the spans of devices: it deletes what ended longer ago than STANDING_MS.
    ({ ENVIRONMENT, ROTATION_STANDING_SECONDS }) =>
      ROTATION_STANDING_SECONDS * 1000 === STANDING_MS ||
      (ENVIRONMENT === 'local' && ROTATION_STANDING_SECONDS * 1000 < STANDING_MS),
    { path: ['ROTATION_STANDING_SECONDS'] },
  )
  .refine((config) => areOrdered(rotationTimesOf(config)), {
    path: ['ROTATION_CONTEST_SECONDS'],
  })
export type Config = z.infer<typeof configSchema>

/** The times of the rules of rotation, which nothing else reads from the configuration. */
export function rotationTimesOf(
  config: Readonly<
    Record<'ROTATION_WINDOW_SECONDS' | 'ROTATION_CONTEST_SECONDS' | 'ROTATION_STANDING_SECONDS', number>
  >,
): Times {
  return {
    windowMs: config.ROTATION_WINDOW_SECONDS * 1000,
    contestMs: config.ROTATION_CONTEST_SECONDS * 1000,
    standingMs: config.ROTATION_STANDING_SECONDS * 1000,
  }
}
