import { app } from './app.ts'

export { MembershipsObject } from './memberships/object.ts'
export { OrganizationObject } from './organizations/object.ts'

export default app
