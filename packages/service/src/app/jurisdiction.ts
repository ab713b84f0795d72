import * as z from 'zod'

/**
 * Where Durable Objects keep their data and run. Fixed when an object is first used: the same name in another
 * jurisdiction is another object, which is empty.
 */
export const jurisdictionSchema = z.enum(['none', 'eu', 'fedramp']).default('none')

/**
 * The objects of a binding in the deployment's jurisdiction. Every namespace is opened here, so that no object is
 * created outside of it.
 */
export function objectsIn<T extends Rpc.DurableObjectBranded | undefined>(
  env: object,
  namespace: DurableObjectNamespace<T>,
): DurableObjectNamespace<T> {
  const jurisdiction = jurisdictionSchema.parse('JURISDICTION' in env ? env.JURISDICTION : undefined)
  return jurisdiction === 'none' ? namespace : namespace.jurisdiction(jurisdiction)
}
