"""XOR: no gate computes it, and here is why; three gates do. And what a perceptron makes of OR and of XOR."""

from rosenblatt import logic

xor = logic.synthesize("a xor b")
print(xor)
print(f"\n{xor.network.table()}\n")

print("A perceptron learns OR:\n")
print(logic.learn("a or b"))

print("\nand cannot learn XOR:\n")
print(logic.learn("a xor b"))
