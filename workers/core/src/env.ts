import { publicKeySchema } from '@svc/protocol/identity'
import { internalSecretFields, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

const DAY_SECONDS = 86_400

/** Core's variables. An empty operator key or an absent secret switches off what depends on it. */
export const coreConfigSchema = serviceConfigSchema
  .extend({
    DOCS_URL: z.url(),
    /** Acceptance gate for appends of profile 4. */
    CHAIN_V4: z.enum(['on', 'off']),
    /** Whether assertions by device keys are taken, here and through the internal routes everywhere. */
    DEVICE_KEYS: z.enum(['on', 'off']),
    /** Whether rotations with a public window instead of an operator's approval are taken. */
    ROTATION_V2: z.enum(['on', 'off']),
    /** The window in seconds. Document 1 section 3 fixes it at a day; only a local deployment may have a shorter one. */
    ROTATION_WINDOW_SECONDS: z.int().min(1),
    OPERATOR_PUBLIC_KEY: z.union([z.literal(''), publicKeySchema]),
    /** Turnstile: the site key of the widget and the secret that its tokens are verified with. */
    TURNSTILE_SITE_KEY: z.string().min(1),
    TURNSTILE_SECRET: z.string().optional(),
    /** Whom one-time codes come from; '' where no mail is sent, and then nobody can be written to. */
    MAIL_FROM: z.union([z.literal(''), z.email()]),
    MAIL_FROM_NAME: z.string().regex(/^[\x20-\x7e]{1,64}$/),
    /** The one gateway that content is fetched from; '' for none. */
    IPFS_GATEWAY: z.union([z.literal(''), z.url()]),
    PINNING_PROVIDER: z.enum(['object-store', 'external-http', 'off']),
    /** Base URL of a service of the IPFS Pinning Service API, for `external-http`. */
    PINNING_ENDPOINT: z.union([z.literal(''), z.url()]),
    PINNING_TOKEN: z.string().optional(),
    /** Whoever publishes anchors to ledgers reports by this key. */
    PUBLISHER_PUBLIC_KEY: z.union([z.literal(''), publicKeySchema]),
    /** Seed of the key that signs checkpoints of the anchor log, 64 hex characters. */
    ANCHOR_LOG_SEED: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    /** Seed of the key that signs receipts of deleted notes and manifests of exports, 64 hex characters. */
    RECEIPT_SEED: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    /** Ciphertext that one vault may hold. */
    NOTES_QUOTA_BYTES: z.int().min(0),
    ...internalSecretFields,
  })
  .refine(
    ({ ENVIRONMENT, ROTATION_WINDOW_SECONDS }) => ENVIRONMENT === 'local' || ROTATION_WINDOW_SECONDS >= DAY_SECONDS,
    {
      path: ['ROTATION_WINDOW_SECONDS'],
    },
  )
export type CoreConfig = z.infer<typeof coreConfigSchema>
