import { createService, takedownRoute } from '@svc/service'
import { anchorCosignRoutes } from './anchors/cosigned/routes.ts'
import { anchorFeedRoutes } from './anchors/feed-routes.ts'
import { anchorRoutes } from './anchors/routes.ts'
import { assetRoutes } from './assets/routes.ts'
import { chainRoutes } from './chain/routes.ts'
import { contactRoutes } from './contact/routes.ts'
import { discoveryRoutes } from './discovery/routes.ts'
import { eventHookRoutes } from './events/hook-routes.ts'
import { eventRoutes } from './events/routes.ts'
import { governanceRoutes } from './governance/routes.ts'
import { securityRoutes } from './hold/routes.ts'
import { genesisRoutes } from './identity/routes.ts'
import { inboxRoutes } from './inbox/routes.ts'
import { inceptionRoutes } from './inception/routes.ts'
import { internalRoutes } from './internal/routes.ts'
import { inviteRoutes } from './invites/routes.ts'
import { pinRoutes } from './ipfs/pin-routes.ts'
import { contentRoutes } from './ipfs/routes.ts'
import { codePageRoutes } from './licences/page-routes.ts'
import { licenceRoutes } from './licences/routes.ts'
import { attachmentRoutes } from './notes/attachment-routes.ts'
import { noteBatchRoutes } from './notes/batch-routes.ts'
import { noteRoutes } from './notes/routes.ts'
import { noteVaultRoutes } from './notes/vault-routes.ts'
import { operatorRoutes } from './operator/routes.ts'
import { authorizationRoutes } from './rendezvous/authorization-routes.ts'
import { pairingRoutes } from './rendezvous/pairing-routes.ts'
import { rotationRoutes } from './rotation/routes.ts'
import { CORE_DESCRIPTION, INTERNAL_DESCRIPTION } from './service.ts'
import { createRuntime } from './services.ts'
import { verificationRoutes } from './verification/routes.ts'
import { watchRoutes } from './watch/routes.ts'

export const service = createService(CORE_DESCRIPTION, createRuntime, [
  ...discoveryRoutes,
  ...genesisRoutes,
  ...watchRoutes,
  ...chainRoutes,
  ...securityRoutes,
  ...eventRoutes,
  ...eventHookRoutes,
  ...rotationRoutes,
  ...inceptionRoutes,
  ...pairingRoutes,
  ...authorizationRoutes,
  ...noteVaultRoutes,
  ...noteRoutes,
  ...attachmentRoutes,
  ...noteBatchRoutes,
  ...anchorFeedRoutes,
  ...anchorCosignRoutes,
  ...anchorRoutes,
  ...assetRoutes,
  ...governanceRoutes,
  ...contentRoutes,
  ...pinRoutes,
  ...licenceRoutes,
  ...codePageRoutes,
  ...inviteRoutes,
  ...contactRoutes,
  ...inboxRoutes,
  ...verificationRoutes,
  ...operatorRoutes,
  takedownRoute(),
])
export const { app } = service

export const internalService = createService(INTERNAL_DESCRIPTION, createRuntime, internalRoutes)
