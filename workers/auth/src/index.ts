import { app } from './app.ts'

export { CeremonyObject } from './ceremony/object.ts'

export default app
