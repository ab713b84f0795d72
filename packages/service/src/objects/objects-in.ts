import { jurisdictionSchema, objectHintSchema } from '../app/jurisdiction.ts'

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
