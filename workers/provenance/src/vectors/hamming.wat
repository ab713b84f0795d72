;; Which of `count` packed vectors of 256 bits, from `vectors` on, differ from the one at `query` in at most `limit` bits.
;; Writes (place * 512 + distance), four bytes each, from `out` on, in the order of the vectors, and returns how many.
;; 512 because distances go from 0 to 256. The caller leaves room for `count` hits.
(module
  (memory (export "memory") 1)
  (func (export "scan")
    (param $query i32) (param $vectors i32) (param $count i32) (param $limit i32) (param $out i32) (result i32)
    (local $low v128) (local $high v128) (local $bits v128)
    (local $place i32) (local $distance i32) (local $begin i32)
    (local.set $low (v128.load (local.get $query)))
    (local.set $high (v128.load offset=16 (local.get $query)))
    (local.set $begin (local.get $out))
    (block $done
      (br_if $done (i32.eqz (local.get $count)))
      (loop $next
        ;; Set bits of each byte of both halves, at most 16, added up to eight lanes of at most 32.
        (local.set $bits
          (i16x8.extadd_pairwise_i8x16_u
            (i8x16.add
              (i8x16.popcnt (v128.xor (local.get $low) (v128.load (local.get $vectors))))
              (i8x16.popcnt (v128.xor (local.get $high) (v128.load offset=16 (local.get $vectors)))))))
        ;; Four lanes of at most 64 in 64 bits; times 1 + 2^16 + 2^32 + 2^48 their sum, at most 256, is the highest lane.
        (local.set $distance
          (i32.wrap_i64
            (i64.shr_u
              (i64.mul
                (i64.add (i64x2.extract_lane 0 (local.get $bits)) (i64x2.extract_lane 1 (local.get $bits)))
                (i64.const 0x0001000100010001))
              (i64.const 48))))
        (if (i32.le_u (local.get $distance) (local.get $limit))
          (then
            (i32.store (local.get $out) (i32.or (i32.shl (local.get $place) (i32.const 9)) (local.get $distance)))
            (local.set $out (i32.add (local.get $out) (i32.const 4)))))
        (local.set $vectors (i32.add (local.get $vectors) (i32.const 32)))
        (br_if $next
          (i32.lt_u (local.tee $place (i32.add (local.get $place) (i32.const 1))) (local.get $count)))))
    (i32.shr_u (i32.sub (local.get $out) (local.get $begin)) (i32.const 2))))
