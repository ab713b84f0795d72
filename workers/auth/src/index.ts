import { app } from './app.ts'

export { CeremonyObject } from './ceremony/ceremony-object.ts'

export default app
