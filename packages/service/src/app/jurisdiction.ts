import * as z from 'zod'

/**
 * Where Durable Objects keep their data and run. Fixed when an object is first used: the same name in another
 * jurisdiction is another object, which is empty.
 */
export const jurisdictionSchema = z.enum(['none', 'eu', 'fedramp']).default('none')

/** Where an object that has no jurisdiction is created, if not near its first caller: a wish, heard once. */
export const objectHintSchema = z
  .enum(['', 'wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'])
  .default('')

/**
 * The objects of a binding in the deployment's jurisdiction, or near its hint. Every namespace is opened here, so that no object is
 * created outside of it.
 */
export function objectsIn<T extends Rpc.DurableObjectBranded | undefined>(
  env: object,
  namespace: DurableObjectNamespace<T>,
): DurableObjectNamespace<T> {
  const jurisdiction = jurisdictionSchema.parse('JURISDICTION' in env ? env.JURISDICTION : undefined)
  if (jurisdiction !== 'none') return namespace.jurisdiction(jurisdiction)
  const locationHint = objectHintSchema.parse('OBJECT_HINT' in env ? env.OBJECT_HINT : undefined)
  return locationHint === '' ? namespace : hinted(namespace, locationHint)
}

/** No code opens an object by an id, so only names need the hint. */
function hinted<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  locationHint: DurableObjectLocationHint,
): DurableObjectNamespace<T> {
  return new Proxy(namespace, {
    get: (target, name) => {
      if (name === 'getByName') return (of: string) => target.getByName(of, { locationHint })
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
}
