import { livenessRoute } from '@svc/service'
import { DOCS_DESCRIPTION } from '../service.ts'
import { securityRoutes } from './security-txt.ts'

export const discoveryRoutes = [livenessRoute('docs', DOCS_DESCRIPTION.version), ...securityRoutes]
