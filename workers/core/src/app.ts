import { createService } from '@svc/service'
import { CORE_DESCRIPTION, INTERNAL_DESCRIPTION } from './description.ts'
import { anchorRoutes } from './routes/anchors.ts'
import { assetRoutes } from './routes/assets.ts'
import { chainRoutes } from './routes/chain.ts'
import { contactRoutes } from './routes/contact.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { genesisRoutes } from './routes/genesis.ts'
import { governanceRoutes } from './routes/governance.ts'
import { inboxRoutes } from './routes/inbox.ts'
import { inceptionRoutes } from './routes/inception.ts'
import { internalRoutes } from './routes/internal.ts'
import { inviteRoutes } from './routes/invites.ts'
import { ipfsRoutes } from './routes/ipfs.ts'
import { licenceRoutes } from './routes/licences.ts'
import { noteVaultRoutes } from './routes/note-vault.ts'
import { noteRoutes } from './routes/notes.ts'
import { operatorRoutes } from './routes/operator.ts'
import { rendezvousRoutes } from './routes/rendezvous.ts'
import { rotationRoutes } from './routes/rotation.ts'
import { securityRoutes } from './routes/security.ts'
import { verificationRoutes } from './routes/verification.ts'
import { createRuntime } from './services.ts'

export const service = createService(CORE_DESCRIPTION, createRuntime, [
  ...discoveryRoutes,
  ...genesisRoutes,
  ...chainRoutes,
  ...securityRoutes,
  ...rotationRoutes,
  ...inceptionRoutes,
  ...rendezvousRoutes,
  ...noteVaultRoutes,
  ...noteRoutes,
  ...anchorRoutes,
  ...assetRoutes,
  ...governanceRoutes,
  ...ipfsRoutes,
  ...licenceRoutes,
  ...inviteRoutes,
  ...contactRoutes,
  ...inboxRoutes,
  ...verificationRoutes,
  ...operatorRoutes,
])
export const { app, document } = service

export const internalService = createService(INTERNAL_DESCRIPTION, createRuntime, internalRoutes)
