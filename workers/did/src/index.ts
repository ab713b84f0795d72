import { env } from 'cloudflare:workers'
import { meterInto } from '@svc/service'
import { app } from './app.ts'

export { MembershipsObject } from './memberships/object.ts'
export { OrganizationObject } from './organizations/object.ts'

meterInto(env)

export default app
