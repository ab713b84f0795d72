import { app } from './app.ts'

export { CounterObject } from '@svc/service/counter-object'
export { CeremonyObject } from './ceremony/object.ts'

export default app
