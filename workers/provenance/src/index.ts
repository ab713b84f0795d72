import { app } from './app.ts'

export { NonceGuard } from '@svc/assertion/worker'
export { CounterObject } from '@svc/service/counter-object'
export { VectorIndexObject } from './vectors/vector-index-object.ts'

export default app
