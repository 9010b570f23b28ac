using A;
