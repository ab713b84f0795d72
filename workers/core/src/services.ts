import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { ok } from '@svc/protocol/base/result'
import type { SignedCheckpoint } from '@svc/protocol/ledger/anchors'
import type { OpenHead } from '@svc/protocol/merkle/beacon'
import type { OperatorAct } from '@svc/protocol/operator/acts'
import type { InvitePage, InviteReadStatement } from '@svc/protocol/operator/invites'
import {
  BotChallenge,
  backlogIn,
  CounterService,
  FormChallenge,
  internalGate,
  internalSecretsOf,
  type KeptLogs,
  LooseObjects,
  limiterOf,
  logListKeysOf,
  type ObjectCommits,
  ObjectRebuild,
  OperatorActs,
  OperatorStore,
  objectCommitsOf,
  objectsIn,
  Queues,
  type Runtime,
  readConfig,
  StandingClient,
  StaticFiles,
  seedVersionsOf,
  serviceKeysOf,
  signerOf,
  type TakedownReads,
} from '@svc/service'
import { AnchorCosigning } from './anchors/cosigned/cosigning.ts'
import { CosignedFiles } from './anchors/cosigned/files.ts'
import { AnchorFeed } from './anchors/feed.ts'
import { AnchorIndex } from './anchors/index-store.ts'
import { anchorLogs } from './anchors/logs.ts'
import { AnchorRebuild } from './anchors/rebuild.ts'
import { AnchorService } from './anchors/service.ts'
import { Withholding } from './anchors/withholding.ts'
import { AssetService } from './assets/service.ts'
import { AssetStore } from './assets/store.ts'
import { PayloadStore } from './chain/payload-store.ts'
import { ChainService } from './chain/service.ts'
import { ContactMail } from './contact/mail.ts'
import { ContactSecrets } from './contact/secrets.ts'
import { ContactService } from './contact/service.ts'
import type { OwnKeys } from './discovery/own-keys.ts'
import { type Config, configSchema, rotationTimesOf } from './env.ts'
import { addressRulesOf } from './events/address-rules.ts'
import { HookService } from './events/hook-service.ts'
import { EventService } from './events/service.ts'
import { GovernanceService } from './governance/service.ts'
import { GovernanceStore } from './governance/store.ts'
import { CoreGate } from './identity/gate.ts'
import { IdentityService } from './identity/service.ts'
import { RecipientResolver } from './inbox/recipient-resolver.ts'
import { InboxService } from './inbox/service.ts'
import { DeviceService } from './inception/device-service.ts'
import { InceptionLogService } from './inception/log-service.ts'
import { InceptionService } from './inception/service.ts'
import { Questions } from './invites/question.ts'
import { InviteService } from './invites/service.ts'
import { decisionsOf, invitesOf } from './invites/services.ts'
import { type ContentServices, contentOf } from './ipfs/services.ts'
import { LicenceService } from './licences/service.ts'
import { senderOf } from './mail/services.ts'
import { AttachmentService } from './notes/attachment-service.ts'
import { BlobStore } from './notes/blob-store.ts'
import { NoteService } from './notes/service.ts'
import { VaultService } from './notes/vault-service.ts'
import { Vaults } from './notes/vaults.ts'
import { type Acted, type ActRefusal, performerOf } from './operator/performer.ts'
import { OfferCodes } from './rendezvous/offer-code.ts'
import { RendezvousService } from './rendezvous/service.ts'
import { RotationService } from './rotation/service.ts'
import { StorageBudget } from './storage/service.ts'
import { WatchService } from './watch/service.ts'

export interface Services extends ContentServices {
  readonly config: Config
  readonly description: StaticFiles
  readonly objectCommits: ObjectCommits
  readonly queues: Queues
  readonly identities: IdentityService
  readonly chain: ChainService
  readonly notes: NoteService
  readonly attachments: AttachmentService
  readonly vaults: VaultService
  /** Signs receipts of deleted notes and manifests of exports. */
  readonly receipts: DeploymentSigner
  /** What discovery publishes of the deployment’s keys. */
  readonly serviceKeys: OwnKeys
  readonly licences: LicenceService
  readonly events: EventService
  readonly hooks: HookService
  readonly invites: InviteService
  readonly anchors: AnchorService
  readonly anchorFeed: AnchorFeed
  readonly anchorCosigning: AnchorCosigning
  readonly anchorLogs: KeptLogs<SignedCheckpoint>
  readonly assets: AssetService
  readonly governance: GovernanceService
  readonly devices: DeviceService
  readonly inception: InceptionService
  readonly inceptionLogs: InceptionLogService
  readonly rotations: RotationService
  readonly watch: WatchService
  readonly rendezvous: RendezvousService
  readonly operator: OperatorActs<OperatorAct['statement'], ActRefusal>
  readonly takedownReads: TakedownReads
  readonly inviteReads: OperatorActs<InviteReadStatement, never, Pick<InvitePage, 'invites' | 'next'>>
  readonly contact: ContactService
  readonly inbox: InboxService
  readonly budget: StorageBudget
}

/** The only place where bindings meet services, with the `services.ts` of features. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(configSchema, env)
  const secrets = internalSecretsOf(config)
  const realms = config.REALMS
  const identities = new IdentityService(objectsIn(env, env.IDENTITIES), realms)
  const devices = new DeviceService(identities, env.CACHE, realms)
  const gate = { acceptsV2: config.ROTATION_V2 === 'on', times: rotationTimesOf(config) }
  const hasOperator = config.OPERATOR_PUBLIC_KEY !== ''
  const rotations = new RotationService({ identities, devices, realms, gate, hasOperator })
  const governance = new GovernanceService(new GovernanceStore(env.CONTROL_DB), realms)
  const receipts = signerOf(env, { service: 'core', use: 'receipt' })
  const pay = new StandingClient(env.PAY)
  const budget = new StorageBudget(identities, pay)
  const vaults = new Vaults(objectsIn(env, env.NOTE_VAULTS), new BlobStore(env.BLOBS), budget)
  const limits = { quotaBytes: config.NOTES_QUOTA_BYTES }
  const inbox = new InboxService(objectsIn(env, env.INBOXES))
  const seeds = seedVersionsOf(env, 'CODES_SEED')
  const codes = new OfferCodes(seeds)
  const assets = new AssetStore(env.DB)
  const counters = new CounterService(objectsIn(env, env.COUNTERS))
  const ipfs = contentOf(env, config, budget, counters)
  const challenge = new FormChallenge<'contact' | 'invite'>(
    new BotChallenge({
      secret: config.TURNSTILE_SECRET,
      isLocal: config.ENVIRONMENT === 'local',
      fetch: (url, init) => fetch(url, init),
    }),
    [...config.PUBLIC_ORIGINS, ...config.ALLOWED_ORIGINS],
  )
  const logs = anchorLogs(env)
  const files = new CosignedFiles(env.BLOBS)
  const cosigning = new AnchorCosigning({ logs, files, witnesses: config.WITNESS_KEYS, realms })
  const index = new AnchorIndex(env.DB)
  const anchorRebuild = new AnchorRebuild({
    logs,
    bucket: env.BLOBS,
    index,
    realms,
  })
  const inceptionLogs = new InceptionLogService(identities)
  return {
    config,
    limiter: limiterOf('core', env),
    gate: new CoreGate(identities, config.DEVICE_KEYS === 'on'),
    windows: counters,
    internal: internalGate(secrets),
    deps: {
      config,
      description: new StaticFiles(env.API_DESCRIPTION, 'API description'),
      objectCommits: objectCommitsOf('core', env),
      queues: queuesOf(env),
      identities,
      chain: new ChainService({
        identities,
        payloads: new PayloadStore(env.BLOBS, new LooseObjects(env.DB, env.BLOBS)),
        budget,
        acceptsV4: config.CHAIN_V4 === 'on',
      }),
      ...ipfs,
      receipts,
      serviceKeys: { configured: serviceKeysOf(env), logList: logListKeysOf(env), signers: { receipt: receipts } },
      notes: new NoteService({ vaults, inceptionLogs, receipts, limits, realms }),
      inceptionLogs,
      attachments: new AttachmentService({ vaults, identities, limits }),
      vaults: new VaultService({ vaults, identities, receipts, realms }),
      licences: new LicenceService(pay),
      events: new EventService(identities, receipts),
      hooks: new HookService(identities, receipts, addressRulesOf(config)),
      invites: new InviteService(
        invitesOf(env, config),
        { challenge, siteKey: config.TURNSTILE_SITE_KEY },
        new Questions(seeds, counters),
      ),
      anchorFeed: new AnchorFeed(logs, env.BLOBS),
      anchorCosigning: cosigning,
      anchorLogs: logs,
      anchors: new AnchorService({
        logs,
        index,
        bucket: env.BLOBS,
        cosigning,
        governance,
        identities,
        budget,
        publisherKey: config.PUBLISHER_PUBLIC_KEY,
        realms,
      }),
      assets: new AssetService({ store: assets, governance, identities, budget, realms }),
      governance,
      devices,
      inception: new InceptionService({ identities, devices, budget, realms }),
      rotations,
      watch: new WatchService(identities),
      rendezvous: new RendezvousService({
        objects: objectsIn(env, env.RENDEZVOUS),
        codes,
        identities,
        devices,
        realms,
      }),
      ...operatorOf(env, config, {
        identities,
        objectRebuild: rebuildOf(env),
        rotations,
        governance,
        anchorLogs: logs,
        anchorRebuild,
        withholding: new Withholding({
          bucket: env.BLOBS,
          index,
          identities,
          configured: logs.configured,
          logObject: (log) => objectsIn(env, env.ANCHOR_LOG).getByName(log),
        }),
        decisions: decisionsOf(env, config),
        ...ipfs,
      }),
      contact: new ContactService({
        inboxes: objectsIn(env, env.INBOXES),
        counters,
        challenge,
        recipients: new RecipientResolver({ assets, identities, inboxes: inbox }, wait),
        secrets: new ContactSecrets(seeds),
        mail: new ContactMail(senderOf(env, config)),
      }),
      inbox,
      budget,
    },
  }
}

/** The head of the open log of anchors, for the beacon of the key directory. */
export async function openAnchorHead(env: Env, now: number): Promise<OpenHead | null> {
  const checkpoint = await createRuntime(env).deps.anchors.checkpoint(undefined, now)
  if (!checkpoint.ok) return null
  const { log, size, root } = checkpoint.value.statement
  return { log, size, root }
}

function rebuildOf(env: Env) {
  return new ObjectRebuild(env, {
    identities: objectsIn(env, env.IDENTITIES),
    vaults: objectsIn(env, env.NOTE_VAULTS),
    inboxes: objectsIn(env, env.INBOXES),
  })
}

function operatorOf(
  env: Env,
  config: Config,
  acted: Acted & Pick<Services, 'takedowns'>,
): Pick<Services, 'operator' | 'takedownReads' | 'inviteReads'> {
  const store = new OperatorStore(env.CONTROL_DB)
  return {
    operator: new OperatorActs(config, store, performerOf(acted)),
    takedownReads: new OperatorActs(config, store, async ({ after }) => ok(await acted.takedowns.operatorPage(after))),
    inviteReads: new OperatorActs(config, store, async ({ after }) => ok(await acted.decisions.page(after))),
  }
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}

/** The outboxes of identities are in their own objects, which cannot be counted. */
export function queuesOf({ DB }: Env): Queues {
  return new Queues('core', {
    'anchor events': backlogIn(
      DB,
      'SELECT count(*) AS depth, min(reported_at) AS oldestAt FROM anchor_publications WHERE told = 0 AND ?1 > 0',
    ),
    invitations: backlogIn(
      DB,
      `SELECT count(*) AS depth, min(decided_at) AS oldestAt FROM invite_requests
       WHERE decision IS NOT NULL AND done_at IS NULL AND ?1 > 0`,
    ),
  })
}
