import { livenessRoute } from '@svc/service'
import { DOCS_DESCRIPTION } from '../service.ts'

export const discoveryRoutes = [livenessRoute('docs', DOCS_DESCRIPTION.version)]
