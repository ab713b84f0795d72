import type { Caller, SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import { DeploymentSigner } from '@svc/protocol/deployment-signer'
import type { Result } from '@svc/protocol/result'
import {
  BotChallenge,
  CounterService,
  type Gate,
  internalGate,
  internalSecretsOf,
  limiterOf,
  OperatorActs,
  OperatorStore,
  type Runtime,
  readConfig,
} from '@svc/service'
import { AnchorService } from './anchors/anchor-service.ts'
import { AnchorStore } from './anchors/anchor-store.ts'
import { LogSigner } from './anchors/log-signer.ts'
import { AssetService } from './assets/asset-service.ts'
import { AssetStore } from './assets/asset-store.ts'
import { ChainService } from './chain/chain-service.ts'
import { PayloadStore } from './chain/payload-store.ts'
import { FormChallenge } from './challenge/form-challenge.ts'
import { type CoreConfig, coreConfigSchema } from './env.ts'
import { GovernanceService } from './governance/governance-service.ts'
import { GovernanceStore } from './governance/governance-store.ts'
import { IdentityService } from './identity/identity-service.ts'
import { ContactMail } from './inbox/contact-mail.ts'
import { ContactSecrets } from './inbox/contact-secrets.ts'
import { ContactService } from './inbox/contact-service.ts'
import { InboxService } from './inbox/inbox-service.ts'
import { RecipientResolver } from './inbox/recipient-resolver.ts'
import { DeviceService } from './inception/device-service.ts'
import { InceptionService } from './inception/inception-service.ts'
import { INTERNAL_ROUTES } from './internal-routes.ts'
import { InviteService } from './invites/invite-service.ts'
import { Questions } from './invites/question.ts'
import { BlockSource } from './ipfs/block-source.ts'
import { PinStore } from './ipfs/pin-store.ts'
import { PinningService } from './ipfs/pinning-service.ts'
import { LicenceStore } from './licences/licence-store.ts'
import { BlobStore } from './notes/blob-store.ts'
import { NoteService } from './notes/note-service.ts'
import { OperatorService } from './operator/operator-service.ts'
import { OfferCodes } from './rendezvous/offer-code.ts'
import { RendezvousService } from './rendezvous/rendezvous-service.ts'
import { RotationService } from './rotation/rotation-service.ts'

/** Document 1 section 8: two minutes of clock skew on core. */
const CORE_SKEW_MS = 120_000

export interface Services {
  readonly config: CoreConfig
  readonly identities: IdentityService
  readonly chain: ChainService
  readonly blocks: BlockSource
  readonly pinning: PinningService
  readonly notes: NoteService
  /** Signs what the service says of notes. */
  readonly receipts: DeploymentSigner
  readonly licences: LicenceStore
  readonly invites: InviteService
  readonly anchors: AnchorService
  readonly assets: AssetService
  readonly governance: GovernanceService
  readonly devices: DeviceService
  readonly inception: InceptionService
  readonly rotations: RotationService
  readonly rendezvous: RendezvousService
  readonly operator: OperatorService
  readonly contact: ContactService
  readonly inbox: InboxService
}

/** Core spends an assertion in the object of the identity itself, which knows its keys and devices as they are now. */
class CoreGate implements Gate {
  readonly skewMs = CORE_SKEW_MS
  readonly acceptsDevices: boolean
  readonly #identities: IdentityService

  constructor(identities: IdentityService, acceptsDevices: boolean) {
    this.#identities = identities
    this.acceptsDevices = acceptsDevices
  }

  spend(assertion: VerifiedAssertion): Promise<Result<Caller, SpendRefusal>> {
    return this.#identities.spend(assertion)
  }
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(coreConfigSchema, env)
  const secrets = internalSecretsOf(config)
  const identities = new IdentityService(env.IDENTITIES)
  const devices = new DeviceService(identities, env.CACHE)
  const rotations = new RotationService(identities, devices, {
    acceptsV2: config.ROTATION_V2 === 'on',
    windowMs: config.ROTATION_WINDOW_SECONDS * 1000,
  })
  const governance = new GovernanceService(new GovernanceStore(env.DB))
  const blocks = new BlockSource(env.BLOBS, { origin: config.IPFS_GATEWAY, fetch: (url, init) => fetch(url, init) })
  const receipts = new DeploymentSigner(config.RECEIPT_SEED)
  const licences = new LicenceStore(env.DB)
  const codes = new OfferCodes(secrets)
  const assets = new AssetStore(env.DB)
  const counters = new CounterService(env.COUNTERS)
  const challenge = new FormChallenge(
    new BotChallenge({
      secret: config.TURNSTILE_SECRET,
      isLocal: config.ENVIRONMENT === 'local',
      fetch: (url, init) => fetch(url, init),
    }),
    { siteKey: config.TURNSTILE_SITE_KEY, origins: [...config.PUBLIC_ORIGINS, ...config.ALLOWED_ORIGINS] },
  )
  return {
    config,
    limiter: limiterOf('core', env),
    gate: new CoreGate(identities, config.DEVICE_KEYS === 'on'),
    windows: counters,
    internal: internalGate(secrets, INTERNAL_ROUTES),
    deps: {
      config,
      identities,
      chain: new ChainService(identities, new PayloadStore(env.BLOBS), config.CHAIN_V4 === 'on'),
      blocks,
      pinning: new PinningService(
        {
          provider: config.PINNING_PROVIDER,
          endpoint: config.PINNING_ENDPOINT,
          token: config.PINNING_TOKEN,
          fetch: (url, init) => fetch(url, init),
        },
        blocks,
        new PinStore(env.DB),
      ),
      receipts,
      notes: new NoteService({
        vaults: env.NOTE_VAULTS,
        blobs: new BlobStore(env.BLOBS),
        identities,
        receipts,
        limits: { quotaBytes: config.NOTES_QUOTA_BYTES },
      }),
      licences,
      invites: new InviteService(env.DB, challenge, new Questions(secrets)),
      anchors: new AnchorService({
        logs: env.ANCHOR_LOG,
        store: new AnchorStore(env.DB),
        governance,
        identities,
        signer: new LogSigner(config.ANCHOR_LOG_SEED, config.PUBLIC_ORIGINS[0] ?? ''),
        publisherKey: config.PUBLISHER_PUBLIC_KEY,
      }),
      assets: new AssetService(assets, governance, identities),
      governance,
      devices,
      inception: new InceptionService(identities, devices),
      rotations,
      rendezvous: new RendezvousService(env.RENDEZVOUS, codes, identities, devices),
      operator: new OperatorService(new OperatorActs(config.OPERATOR_PUBLIC_KEY, new OperatorStore(env.DB)), {
        identities,
        rotations,
        governance,
        licences,
      }),
      contact: new ContactService({
        inboxes: env.INBOXES,
        counters,
        challenge,
        recipients: new RecipientResolver(assets, identities, wait),
        secrets: new ContactSecrets(secrets),
        mail: new ContactMail(env.MAIL, { email: config.MAIL_FROM, name: config.MAIL_FROM_NAME }),
      }),
      inbox: new InboxService(env.INBOXES),
    },
  }
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}
