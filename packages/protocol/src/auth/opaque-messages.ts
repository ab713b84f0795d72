/** Message lengths of OPAQUE (RFC 9807) with ristretto255-SHA512 and 3DH, shared by client and server. */

/** Noe and Npk: a group element. */
export const ELEMENT_BYTES = 32
/** Nn. */
export const NONCE_BYTES = 32
/** RegistrationRequest: the blinded password. */
export const REGISTRATION_REQUEST_BYTES = ELEMENT_BYTES
/** RegistrationResponse: evaluated element and server public key. */
export const REGISTRATION_RESPONSE_BYTES = 2 * ELEMENT_BYTES
/** RegistrationRecord: client public key, masking key (Nh), envelope (Nn + Nm). */
export const REGISTRATION_RECORD_BYTES = ELEMENT_BYTES + 64 + NONCE_BYTES + 64
/** KE1: blinded password, nonce, key share. */
export const KE1_BYTES = ELEMENT_BYTES + NONCE_BYTES + ELEMENT_BYTES
/** KE2: credential response of 192 bytes, nonce, key share, MAC. */
export const KE2_BYTES = 2 * ELEMENT_BYTES + 128 + NONCE_BYTES + ELEMENT_BYTES + 64
/** KE3: a MAC. */
export const KE3_BYTES = 64
